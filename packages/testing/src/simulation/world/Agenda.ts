interface Entry {
  readonly atMillis: number
  readonly tie: number
  readonly order: number
  readonly run: () => void
  isCancelled: boolean
}

const isBefore = (one: Entry, other: Entry): boolean => {
  if (one.atMillis !== other.atMillis) return one.atMillis < other.atMillis
  return one.tie === other.tie ? one.order < other.order : one.tie < other.tie
}

/**
 * Simulated time and its scheduled events. `step` runs the next event. `leap` advances the time without running events.
 */
export class Agenda {
  #entries: Array<Entry> = []
  #order = 0
  nowMillis: number

  constructor(startMillis: number) {
    this.nowMillis = startMillis
  }

  /**
   * Schedules `run` after `millis`. `tie` orders events in the same millisecond. Returns a function that cancels the
   * event.
   */
  after(millis: number, tie: number, run: () => void): () => void {
    this.#order += 1
    const atMillis = this.nowMillis + Math.max(0, millis)
    const entry: Entry = { atMillis, tie, order: this.#order, run, isCancelled: false }
    this.#push(entry)
    return () => {
      entry.isCancelled = true
    }
  }

  /**
   * Pauses everything for `millis`, as if all machines slept. Events that fell due in that time run afterwards, in
   * order.
   */
  leap(millis: number): void {
    this.nowMillis += millis
  }

  /** Runs the next event if it is due by `untilMillis`. Returns true if one ran. */
  step(untilMillis: number = Number.POSITIVE_INFINITY): boolean {
    while (true) {
      const next = this.#entries[0]
      if (next === undefined || (next.atMillis > untilMillis && !next.isCancelled)) return false
      this.#pop()
      if (next.isCancelled) continue
      this.nowMillis = Math.max(this.nowMillis, next.atMillis)
      next.run()
      return true
    }
  }

  #push(entry: Entry): void {
    const entries = this.#entries
    let index = entries.push(entry) - 1
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = entries[above]
      if (parent === undefined || !isBefore(entry, parent)) break
      entries[index] = parent
      index = above
    }
    entries[index] = entry
  }

  #pop(): void {
    const entries = this.#entries
    const last = entries.pop()
    if (last === undefined || entries.length === 0) return
    let index = 0
    while (true) {
      const left = entries[2 * index + 1]
      const right = entries[2 * index + 2]
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, last)) break
      entries[index] = child
      index = child === left ? 2 * index + 1 : 2 * index + 2
    }
    entries[index] = last
  }
}
