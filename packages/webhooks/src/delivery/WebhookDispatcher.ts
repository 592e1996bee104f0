import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Duration, Effect, Fiber, FiberSet, Layer, Option } from "effect"
import type { WebhookSender } from "../send/WebhookSender.js"
import type { WebhookSigner } from "../send/WebhookSigner.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as DeliveryAttempts from "./DeliveryAttempts.js"
import * as DeliveryLane from "./SenderLane.js"
import { StoreOutage } from "./StoreOutage.js"

const make = Effect.gen(function* () {
  const signal = yield* DeliverySignal
  const { attemptTimeout, drainTimeout, lease, ...settings } = yield* WebhookSettings
  if (Duration.isLessThanOrEqualTo(lease, attemptTimeout)) {
    return yield* Effect.die(new Error("The lease of a webhook delivery must be longer than an attempt's timeout."))
  }
  let isStopping = false
  const outage = new StoreOutage()
  const shared = {
    outage,
    attempts: yield* DeliveryAttempts.make(outage),
    underWay: yield* FiberSet.make<unknown>(),
    isStopping: () => isStopping
  }
  const steady = yield* DeliveryLane.make({ ...shared, name: "steady", limits: settings.steady })
  const failing = yield* DeliveryLane.make({ ...shared, name: "failing", limits: settings.failing })

  const loops = yield* Effect.forEach(
    // An endpoint that is failing can wait for the next poll.
    [steady.run, failing.run, Effect.forever(Effect.andThen(signal.wait, steady.wake))],
    (loop) => Effect.forkScoped(loop)
  )

  // Runs before the scope interrupts the loops and what is under way.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isStopping = true
      yield* Fiber.interruptAll(loops)
      const drained = FiberSet.awaitEmpty(shared.underWay).pipe(Effect.interruptible)
      if (Option.isSome(yield* Effect.timeoutOption(drained, drainTimeout))) return
      yield* Effect.logWarning("Webhook delivery attempts were cut off; they are made again when their leases run out")
    })
  )
})

/**
 * Sends webhooks for as long as its scope is open: claims due deliveries, makes their attempts and records them.
 *
 * It looks for due deliveries when `DeliverySignal` tells of some, when an attempt ends, and every `pollInterval`. It
 * claims no more than it has free slots for and never waits for an attempt to end, so a new delivery goes out at once
 * beside however many slow ones. Endpoints that are failing have slots of their own: any number of them that hang slow
 * one another down, but none that answers.
 *
 * Any number of dispatchers, in whatever processes, share a queue: each delivery is with one of them at a time, and
 * those of one that died are due again when their lease runs out. A failing store is waited for. When the scope closes,
 * nothing more is claimed, and what is under way has `drainTimeout` to finish.
 */
export const layer: Layer.Layer<
  never,
  never,
  DeliveryQueue | DeliverySignal | Keyring | WebhookSigner | WebhookSender
> = Layer.effectDiscard(make)
