import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { Effect, Layer } from "effect"

/**
 * Keeps no more platform events and deletes the unsent ones when it is built. Logs that it did, naming the `setting`
 * that says so, or why it could not; never fails.
 */
export const layer = (setting: string): Layer.Layer<never, never, PlatformFeed> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const feed = yield* PlatformFeed
      if (yield* feed.end) yield* Effect.logWarning(`${setting}: unsent platform events were deleted`)
    }).pipe(Effect.catch(({ message }) => Effect.logWarning("Platform events could not be ended", message)))
  )
