import type { Claim, DedupeStore } from "./DedupeStore.js"

export interface MemoryStoreOptions {
  /** How many completed events are remembered; beyond it the oldest are forgotten. Default 100,000. */
  readonly maxEvents?: number
  /** How long a completed event is remembered, in seconds. Default 7 days: longer than all attempts together. */
  readonly rememberSeconds?: number
  /** After how long a claim that was neither completed nor released ends, in seconds. Default 300. */
  readonly claimSeconds?: number
  /** Milliseconds since 1970, for tests. Default `Date.now`. */
  readonly now?: () => number
}

/** A store in this process's memory: right for one process, and forgotten when it ends. */
export const memoryStore = (options: MemoryStoreOptions = {}): DedupeStore => {
  const { maxEvents = 100_000, rememberSeconds = 604_800, claimSeconds = 300, now = Date.now } = options
  // Both in the order in which they end: a `Map` keeps the order of insertion, and every entry lives equally long.
  const running = new Map<string, { readonly endsAt: number }>()
  const completed = new Map<string, { readonly endsAt: number }>()

  return {
    claim: (eventId): Claim => {
      const time = now()
      forget(running, time, Number.POSITIVE_INFINITY)
      forget(completed, time, maxEvents)
      if (completed.has(eventId)) return { state: "completed" }
      // Full of claims that are in force: better to be sent this one again later than to run one twice.
      if (running.has(eventId) || running.size >= maxEvents) return { state: "running" }

      const mine = { endsAt: time + claimSeconds * 1000 }
      running.set(eventId, mine)
      const release = () => {
        if (running.get(eventId) === mine) running.delete(eventId)
      }
      return {
        state: "claimed",
        release,
        complete: () => {
          release()
          completed.delete(eventId)
          completed.set(eventId, { endsAt: now() + rememberSeconds * 1000 })
          forget(completed, now(), maxEvents)
        }
      }
    }
  }
}

/** Drops, oldest first, what has ended and what is more than `max`. */
const forget = (entries: Map<string, { readonly endsAt: number }>, time: number, max: number): void => {
  for (const [id, { endsAt }] of entries) {
    if (endsAt > time && entries.size <= max) return
    entries.delete(id)
  }
}
