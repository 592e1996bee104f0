import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { DateTime, Effect, Fiber, FiberSet, Latch, Layer, Schedule } from "effect"
import type { WebhookSender } from "../send/WebhookSender.js"
import type { WebhookSigner } from "../send/WebhookSigner.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as PlatformSender from "./PlatformSender.js"
import { PlatformSettings } from "./PlatformSettings.js"

const make = Effect.fnUntraced(function* (target: PlatformSender.PlatformTarget) {
  const feed = yield* PlatformFeed
  const { storeRetry } = yield* WebhookSettings
  const { drainTimeout, lease, perStream, pollInterval, streamsAtOnce } = yield* PlatformSettings
  const backOff = Schedule.min([Schedule.exponential(storeRetry.first), Schedule.spaced(storeRetry.longest)])
  let isStopping = false
  const send = yield* PlatformSender.make(target, () => isStopping)
  const inFlight = yield* FiberSet.make<void>()
  const latch = yield* Latch.make(false)

  // Uninterruptible: what was leased is sent or given back, never left to wait for its lease to end.
  const claim = Effect.gen(function* () {
    const limit = streamsAtOnce - (yield* FiberSet.size(inFlight))
    if (limit <= 0) return
    const now = yield* DateTime.now
    const leasedUntil = DateTime.addDuration(now, lease)
    const leased = yield* feed.claim({ now, leasedUntil, limit, perStream })
    yield* Effect.forEach(
      leased,
      (stream) => FiberSet.run(inFlight, Effect.ensuring(send(stream, leasedUntil), latch.open)),
      { discard: true }
    )
  }).pipe(Effect.uninterruptible)

  const turn = Effect.gen(function* () {
    yield* latch.close
    yield* claim
    yield* Effect.timeoutOption(latch.await, pollInterval)
  })

  const begin = Effect.flatMap(feed.begin, (isNew) =>
    isNew ? Effect.logInfo("Platform events are kept from now on") : Effect.void
  )
  const run = Effect.andThen(begin, Effect.forever(turn)).pipe(
    Effect.tapError(({ message }) => Effect.logWarning("Platform event store failed; retrying", message)),
    Effect.retry(backOff),
    // The schedule never ends, so no failure passes it.
    Effect.orDie,
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError(
          "Claiming platform events failed unexpectedly; retrying",
          defect instanceof Error ? defect.name : typeof defect
        ),
        Effect.sleep(storeRetry.longest)
      )
    ),
    Effect.forever
  )
  // Before anything else starts, so that no commit of this process is missed. If the store is unavailable, the loop
  // retries.
  yield* Effect.ignore(begin)
  const loop = yield* Effect.forkScoped(run)

  // Runs before the scope interrupts the calls in flight.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isStopping = true
      yield* Fiber.interrupt(loop)
      yield* Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(inFlight)), drainTimeout)
    })
  )
})

/**
 * Sends the platform every event of every merchant, and its own topics, signed like webhooks, while its scope is open
 * (contract 15.1). The feed keeps events from the first time on that this runs.
 *
 * Each merchant's events leave in the order of their commits: the next one waits until the one before is confirmed by a
 * 2xx. A failed one is sent again without end. Several processes may run it on one database. A crash sends some events
 * again, with the same ids.
 */
export const layer = (
  target: PlatformSender.PlatformTarget
): Layer.Layer<never, never, PlatformFeed | WebhookSender | WebhookSigner> => Layer.effectDiscard(make(target))

/**
 * Keeps no more platform events and deletes the unsent ones when it is built. Logs that it did, naming the `setting`
 * that says so, or why it could not; never fails.
 */
export const layerOff = (setting: string): Layer.Layer<never, never, PlatformFeed> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const feed = yield* PlatformFeed
      if (yield* feed.end) yield* Effect.logWarning(`${setting}: unsent platform events were deleted`)
    }).pipe(Effect.catch(({ message }) => Effect.logWarning("Platform events could not be ended", message)))
  )
