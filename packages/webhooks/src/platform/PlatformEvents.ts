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

  // Uninterruptible, so that leased streams are sent or released and need not wait for their leases to end.
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
    isNew ? Effect.logInfo("Platform event feed started") : Effect.void
  )
  const run = Effect.andThen(begin, Effect.forever(turn)).pipe(
    Effect.tapError(({ message }) => Effect.logWarning("Platform event store failed; retrying", message)),
    Effect.retry(backOff),
    // The schedule never ends, so no failure reaches this line.
    Effect.orDie,
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError(
          "Platform event claim failed unexpectedly; retrying",
          defect instanceof Error ? defect.name : typeof defect
        ),
        Effect.sleep(storeRetry.longest)
      )
    ),
    Effect.forever
  )
  // Begins the feed before the layer is ready, so that no later commit of this process is missed. If the store is
  // unavailable, the loop begins the feed.
  yield* Effect.ignore(begin)
  const loop = yield* Effect.forkScoped(run)

  // Runs before the scope interrupts the calls in flight, so that they can finish.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isStopping = true
      yield* Fiber.interrupt(loop)
      yield* Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(inFlight)), drainTimeout)
    })
  )
})

/**
 * While the layer's scope is open, sends the platform its own events and those of every merchant, except test events
 * (contract 15.1). The events are signed like webhooks. The feed stores events once this layer has run, until
 * `layerOff` ends it.
 *
 * Each merchant's events are sent in the order of `EventLog.follow`. An event waits until a 2xx confirms its
 * predecessor. A failed event is retried indefinitely. Several processes may run this on one database. An event may be
 * sent more than once, for example after a crash, but always with the same id.
 */
export const layer = (
  target: PlatformSender.PlatformTarget
): Layer.Layer<never, never, PlatformFeed | WebhookSender | WebhookSigner> => Layer.effectDiscard(make(target))

/**
 * Layer that stops storing platform events and deletes the unsent ones. If events were being stored, logs a warning
 * that names the responsible `setting`. A store failure is only logged, with its message.
 */
export const layerOff = (setting: string): Layer.Layer<never, never, PlatformFeed> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const feed = yield* PlatformFeed
      if (yield* feed.end) yield* Effect.logWarning(`${setting}: platform event feed stopped, unsent events deleted`)
    }).pipe(Effect.catch(({ message }) => Effect.logWarning("Platform event feed could not be stopped", message)))
  )
