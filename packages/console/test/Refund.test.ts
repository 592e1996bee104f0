import { assert, describe, it } from "@effect/vitest"
import { NGN } from "@surety/core/Currency"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { visitor } from "./support/Visitor.js"

describe("A refund that the wallet declined", () => {
  it.live("ended when its money went back, on the page and in the file, beside the merchant's reference", () =>
    Effect.gen(function* () {
      let declines = false
      const scene = yield* Scene.make({ byToken: true }, undefined, {
        credit: () => Effect.sync(() => (declines ? { _tag: "Declined", reason: "frozen" } : { _tag: "Credited" })),
        environments: ["LIVE"]
      })
      const { payment, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      declines = true
      const command = {
        paymentId: payment.id,
        reference: undefined,
        currency: NGN,
        amountMinor: 5_000n,
        reason: undefined,
        merchantReference: "return-77",
        items: undefined
      }
      const refunds = yield* scene.run(Refunds)
      yield* scene.run(Effect.flip(refunds.create(scope, IdempotencyKey.make("declined"), command)))
      const { data } = yield* scene.run(refunds.list(scope, { paymentId: payment.id }, { limit: 9, cursor: undefined }))
      const failed = data.find(({ status }) => status === "FAILED") ?? assert.fail("one was declined")
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const path = `/console/live/refunds/${failed.id}`
      const { text } = yield* Effect.promise(() => browser.get(path))
      assert.include(text, "return-77")
      const file = yield* Effect.promise(() => browser.get(`${path}?table=history&format=csv`))
      const at = (what: string) => new RegExp(`^([^,]+),${what},`, "mu").exec(file.text)?.[1]
      assert.isDefined(at("failed"))
      assert.strictEqual(at("failed"), at("reversed"))
    }).pipe(Effect.scoped)
  )
})
