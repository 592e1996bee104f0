import { HostRequestKey } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { PaymentId } from "@surety/core/Ids"
import { isOf } from "@surety/core/memory/MemoryState"
import { Effect } from "effect"
import { encodeCall, type QueuedCall } from "../host/SimulatedQueue.js"
import { type Act, callAs, personOf, type Scene, scopeOf } from "./Scene.js"

/** The host queues a call that records or refunds a payment. No-op in a story without a queue. */
export const queue = (scene: Scene, act: Act): void => {
  if (!scene.cluster.hasQueue) return
  const { world } = scene
  const key = HostRequestKey.make(`queued-${act.draw.below(12)}`)
  const draw = act.draw.chance(0.9) ? world.draw(key) : act.draw
  const { merchantId } = scopeOf(scene, draw)
  const scope = { merchantId, environment: "LIVE" } as const
  const { serviceId, userId } = personOf(scene, scope, draw)
  const payments = [...world.state.payments.values()].filter((payment) => isOf(scope, payment))
  const minor = BigInt(draw.pick([1, 10, 100]))
  const call: QueuedCall =
    draw.chance(0.5) || payments.length === 0
      ? {
          _tag: "payments.record",
          ...scope,
          userId,
          serviceId,
          id: PaymentId.make(`payment_${key}-${merchantId.slice(-6)}`),
          minor
        }
      : { _tag: "refunds.create", ...scope, userId, paymentId: draw.pick(payments.slice(0, 3)).id, minor }
  const request = {
    key,
    kind: call._tag,
    payload: encodeCall(call),
    queue: draw.chance(0.5) ? "orders" : undefined
  }
  callAs(scene, {
    act,
    does: `queues ${call._tag} of ${minor} as ${key}`,
    call: Effect.flatMap(HostRequestStore, (store) => Effect.andThen(store.enqueue(request), store.find(key))),
    repeats: 3
  })
}
