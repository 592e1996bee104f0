import { assert, describe, it } from "@effect/vitest"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { Refunds } from "@surety/core/refund/Refunds"
import { RefundTimelines } from "@surety/core/refund/RefundTimelines"
import { Effect } from "effect"
import * as Sandbox from "../Sandbox.js"

describe("A refund's timeline", () => {
  it.effect("has its payment, its transfer, and its event with each delivery, in its own environment alone", () =>
    Effect.gen(function* () {
      const timelines = yield* RefundTimelines
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const { endpoint } = yield* (yield* WebhookEndpoints).register(scope.merchantId, {
        url: "https://shop.example/hooks",
        environment: "TEST",
        topics: undefined
      })
      const command = Sandbox.refundOf({ transactionId: payment.id, reason: "late" })
      const { refund } = yield* (yield* Refunds).create(scope, Sandbox.key("r"), command)
      const timeline = yield* timelines.get("TEST", refund.id)
      assert.deepStrictEqual(timeline.refund, refund)
      assert.strictEqual(timeline.payment?.id, payment.id)
      assert.deepStrictEqual(
        timeline.transfers.map(({ amount, kind }) => ({ amount, kind })),
        [{ amount: refund.amount, kind: "REFUND" }]
      )
      assert.deepStrictEqual(
        timeline.events.map(({ deliveries, event }) => ({
          topic: event.topic,
          endpoints: deliveries.map(({ delivery }) => delivery.endpointId)
        })),
        [{ topic: "refund.completed", endpoints: [endpoint.id] }]
      )
      const missing = yield* Effect.flip(timelines.get("LIVE", refund.id))
      assert.deepInclude(missing, { _tag: "RefundNotFound", refundId: refund.id })
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
