import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Duration, Effect, Fiber, FiberSet, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { WebhookSender } from "../send/WebhookSender.js"
import type { WebhookSigner } from "../send/WebhookSigner.js"
import { WebhookSettings } from "../WebhookSettings.js"
import * as DeliveryAttempts from "./DeliveryAttempts.js"
import * as SenderLane from "./SenderLane.js"
import { StoreOutage } from "./StoreOutage.js"

const make = Effect.gen(function* () {
  const signal = yield* DeliverySignal
  const { attemptTimeout, drainTimeout, lease, ...settings } = yield* WebhookSettings
  if (Duration.isLessThanOrEqualTo(lease, attemptTimeout)) {
    return yield* Effect.die(new Error("WebhookSettings.lease must be longer than attemptTimeout."))
  }
  let isStopping = false
  const outage = new StoreOutage()
  const shared = {
    outage,
    attempts: yield* DeliveryAttempts.make(outage),
    inFlight: yield* FiberSet.make<unknown>(),
    isStopping: () => isStopping
  }
  const steady = yield* SenderLane.make({ ...shared, name: "steady", limits: settings.steady })
  const failing = yield* SenderLane.make({ ...shared, name: "failing", limits: settings.failing })

  const loops = yield* Effect.forEach(
    // Signals wake only the steady lane, since failing endpoints can wait for the next poll.
    [steady.run, failing.run, Effect.forever(Effect.andThen(signal.wait, steady.wake))],
    (loop) => Effect.forkScoped(loop)
  )

  // Runs before the scope interrupts the loops and the attempts, so that attempts in flight can finish.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isStopping = true
      yield* Fiber.interruptAll(loops)
      const drained = FiberSet.awaitEmpty(shared.inFlight).pipe(Effect.interruptible)
      if (Option.isSome(yield* Effect.timeoutOption(drained, drainTimeout))) return
      yield* Effect.logWarning("Webhook attempts interrupted at shutdown; retrying when their leases end")
    })
  )
})

/**
 * Sends webhooks while its scope is open: claims due deliveries, makes their attempts and records them.
 *
 * Endpoints with a `failingSince` have a lane with its own slots, so they take none from the steady lane. Each lane
 * claims every `pollInterval`, and whenever an attempt ends and another may start. The steady lane also claims when
 * `DeliverySignal` fires. A claim takes at most one delivery per free slot, and waits for no attempt.
 *
 * Several dispatchers may share a queue, in one process or many. Each delivery is leased to one dispatcher at a time.
 * If that dispatcher dies, the delivery is due again when the lease ends. While the store is unavailable, claiming and
 * recording are retried. When the scope closes, claiming stops, and attempts in flight have `drainTimeout` to finish.
 */
export const layer: Layer.Layer<
  never,
  never,
  DeliveryQueue | DeliverySignal | Keyring | WebhookSigner | WebhookSender
> = Layer.effectDiscard(make).pipe(Layer.provide(SecureRandom.layerWebCrypto))
