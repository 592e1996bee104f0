import type { Claim, DedupeStore } from "./DedupeStore.js"

export interface MemoryStoreOptions {
  /**
   * Maximum number of completed events, and of active claims. Beyond it, the oldest completed events are forgotten, and
   * claims of further events get `running`. Default 100,000.
   */
  readonly maxEvents?: number
  /**
   * How long a completed event is remembered, in seconds. Default 864,000 (10 days), which exceeds the retry schedule
   * even if `Retry-After` delays attempts.
   */
  readonly rememberSeconds?: number
  /** How long a claim lasts if it is neither completed nor released, in seconds. Default 300. */
  readonly claimSeconds?: number
  /** Returns the current time in milliseconds since 1970, for tests. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Creates a store in this process's memory. It serves a single process and is lost when the process ends.
 *
 * @example
 * import { createHandler, memoryStore } from "@surety/verifier"
 *
 * const handler = createHandler({
 *   secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
 *   store: memoryStore({ maxEvents: 10_000 }),
 *   onEvent: (event) => console.log(event.id)
 * })
 * console.log(typeof handler)
 */
export const memoryStore = (options: MemoryStoreOptions = {}): DedupeStore => {
  const { maxEvents = 100_000, rememberSeconds = 864_000, claimSeconds = 300, now = Date.now } = options
  // Both maps are in order of expiry: a `Map` keeps insertion order, and all entries of a map have the same lifetime.
  const running = new Map<string, { readonly endsAt: number }>()
  const completed = new Map<string, { readonly endsAt: number }>()

  return {
    claim: (eventId): Claim => {
      const time = now()
      forget(running, time, Number.POSITIVE_INFINITY)
      forget(completed, time, maxEvents)
      if (completed.has(eventId)) return { state: "completed" }
      // If active claims fill the store, this event must be retried later. Dropping a claim instead could run its event
      // twice.
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
        }
      }
    }
  }
}

/** Drops expired entries and, oldest first, entries beyond `max`. */
const forget = (entries: Map<string, { readonly endsAt: number }>, time: number, max: number): void => {
  for (const [id, { endsAt }] of entries) {
    if (endsAt > time && entries.size <= max) return
    entries.delete(id)
  }
}
