import { assert, describe, it } from "@effect/vitest"
import { pages } from "@surety/console/page/pages"
import { NGN } from "@surety/core/Currency"
import { PaymentId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Payments } from "@surety/core/payment/Payments"
import { Refunds } from "@surety/core/refund/Refunds"
import { DateTime, Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { visitor } from "./support/Visitor.js"

const dayOf = (at: DateTime.Utc) => DateTime.formatIsoDateUtc(at)

describe("The overview", () => {
  it.live("leaves sign-ins to the audit log, so that they do not hide what was done", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const shown = yield* Effect.promise(() => browser.get("/console/live/overview"))
      assert.notInclude(shown.text, "Session opened")
      assert.include(shown.text, "No actions yet")
    }).pipe(Effect.scoped)
  )
})

describe("A list's days", () => {
  it.live("select its records and its file, both days included", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { refund } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const made = refund.createdAt
      const [before, after] = [DateTime.subtract(made, { days: 1 }), DateTime.add(made, { days: 1 })]
      const cases = [
        { from: made, to: made, has: true },
        { from: before, to: after, has: true },
        { from: after, to: after, has: false },
        { from: before, to: before, has: false }
      ]
      for (const { from, has, to } of cases) {
        const query = `from=${dayOf(from)}&to=${dayOf(to)}`
        for (const format of ["", "&format=csv"]) {
          const got = yield* Effect.promise(() => browser.get(`/console/live/refunds?${query}${format}`))
          assert.strictEqual(got.text.includes(refund.id.slice(-8)), has, `${query}${format}`)
        }
        const log = yield* Effect.promise(() => browser.get(`/console/live/audit?${query}`))
        assert.strictEqual(log.text.includes("Session opened</a>"), has, query)
      }
    }).pipe(Effect.scoped)
  )
})

describe("Refunds by their payment", () => {
  it.live("are found by its reference, its id, or its host's own id", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { consumer, refund, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const own = yield* scene.run(
        Effect.gen(function* () {
          const payment = yield* (yield* Payments).record({
            id: PaymentId.make("PAY/2026-0001"),
            scope,
            amount: { currency: NGN, minor: 5_000n },
            method: "WALLET",
            serviceId: consumer.serviceId,
            settled: true
          })
          const made = yield* (yield* Refunds).create(scope, IdempotencyKey.make("own"), {
            paymentId: payment.id,
            reference: undefined,
            currency: NGN,
            amountMinor: 5_000n,
            reason: undefined,
            merchantReference: undefined,
            items: undefined
          })
          return made.refund
        })
      )
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      for (const [payment, has, hasNot] of [
        [refund.reference ?? "", refund, own],
        [refund.paymentId, refund, own],
        [own.paymentId, own, refund]
      ] as const) {
        for (const format of ["", "&format=csv"]) {
          const path = `/console/live/refunds?payment=${encodeURIComponent(payment)}${format}`
          const { text } = yield* Effect.promise(() => browser.get(path))
          assert.include(text, has.id.slice(-8), path)
          assert.notInclude(text, hasNot.id.slice(-8), path)
        }
      }
      const none = yield* Effect.promise(() => browser.get("/console/live/refunds?payment=nothing"))
      assert.include(none.text, "No refunds")
    }).pipe(Effect.scoped)
  )
})

/** Filters that accept `merchant_mistyped`: a payment's reference or id, a record's id, an operator's name. */
const asText = new Set(["payment", "record", "who"])

const filterNames = (text: string): ReadonlyArray<string> => {
  const form = /<form class="filters"[^>]*>(.*?)<\/form>/su.exec(text)?.[1] ?? ""
  return [...form.matchAll(/<(?:input|select)[^>]* name="([^"]+)"/gu)].map(([, name = ""]) => name)
}

describe("A filter that cannot be read", () => {
  it.live("shows no list and makes no file, on any page", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { merchant } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const seen: Array<string> = []
      for (const { csv, path } of pages) {
        const at = `/console/live/${path.replace(":merchantId", merchant.id)}`
        if (csv === undefined || at.includes(":")) continue
        const whole = yield* Effect.promise(() => browser.get(at))
        const names = path === "merchants" ? ["status"] : filterNames(whole.text)
        for (const name of names.filter((field) => !asText.has(field))) {
          for (const format of ["", "&format=csv"]) {
            const got = yield* Effect.promise(() => browser.get(`${at}?${name}=merchant_mistyped${format}`))
            assert.strictEqual(got.status, 400, `${path} by ${name}${format}`)
            assert.include(got.text, "Nothing can pass this filter")
            assert.include(got.text, "merchant_mistyped")
          }
          seen.push(`${path} by ${name}`)
        }
      }
      const long = `payment_${"0".repeat(300)}`
      const payment = yield* Effect.promise(() => browser.get(`/console/live/refunds?payment=${long}`))
      assert.strictEqual(payment.status, 400)
      const faults = {
        "from=2026-02-30":
          "2026-02-30</bdi> is no day of the calendar. Write a day as year, month and day, such as 2026-01-31.",
        "to=30.2.2026": "30.2.2026</bdi> is no day of the calendar.",
        "merchant=merchant_1": "merchant_1</bdi> is not an id. Copy the id as a whole.",
        "status=DONE": "DONE</bdi> is not one of the choices. Correct the filter’s status, or take it away."
      }
      for (const [query, fault] of Object.entries(faults)) {
        const got = yield* Effect.promise(() => browser.get(`/console/live/refunds?${query}`))
        assert.include(got.text, fault)
      }
      assert.includeMembers(seen, ["refunds by from", "consents/grants by merchant", "merchants by status"])
      assert.isAtLeast(seen.length, 20)
    }).pipe(Effect.scoped)
  )
})
