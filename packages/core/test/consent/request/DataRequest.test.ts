import { assert, describe, it } from "@effect/vitest"
import { countedRequests, countRequest, DataRequest, leadsOn, wasAsked } from "@surety/core/consent/request/DataRequest"
import { Effect, Exit, Metric, Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

describe("A data request", () => {
  it("is read whole and in a known status, or not at all", () => {
    const read = (request: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(Schema.toType(DataRequest))(request))
    const pending = Sample.request()
    for (const status of ["PENDING", "APPROVED", "DENIED", "EXPIRED", "CANCELLED"]) {
      assert.isTrue(read({ ...pending, status }), status)
    }
    assert.isFalse(read({ ...pending, status: "" }))
    for (const denialReason of ["DECLINED", "NOT_ME"]) assert.isTrue(read({ ...pending, denialReason }), denialReason)
    assert.isFalse(read({ ...pending, denialReason: "" }))
    for (const name of Object.keys(pending)) assert.isFalse(read({ ...pending, [name]: undefined }), name)
  })

  it("leads to a management link once it is decided, but for NOT_ME", () => {
    const outcomes: ReadonlyArray<readonly [Partial<DataRequest>, boolean]> = [
      [{ status: "PENDING" }, false],
      [{ status: "APPROVED" }, true],
      [{ status: "DENIED", denialReason: "DECLINED" }, true],
      [{ status: "DENIED", denialReason: "NOT_ME" }, false],
      [{ status: "EXPIRED" }, false],
      [{ status: "CANCELLED" }, false]
    ]
    for (const [outcome, leads] of outcomes) {
      assert.strictEqual(leadsOn(Sample.request(outcome)), leads, JSON.stringify(outcome))
    }
  })

  it("asked the person unless grants covered it", () => {
    const approved = Sample.request({ status: "APPROVED" })
    assert.isFalse(wasAsked(approved))
    assert.isTrue(wasAsked({ ...approved, decidedBy: { kind: "PERSON" } }))
    for (const status of ["PENDING", "DENIED", "EXPIRED", "CANCELLED"] as const) {
      assert.isTrue(wasAsked(Sample.request({ status })), status)
    }
  })

  it.effect("is counted as asked, as covered, or by its end", () =>
    Effect.gen(function* () {
      const counts = () =>
        Effect.forEach(["asked", "covered", "approved", "expired"], (outcome) =>
          Effect.map(
            Metric.value(Metric.withAttributes(countedRequests, { environment: "LIVE", outcome })),
            ({ count }) => Number(count)
          )
        )
      const live = (changed: Partial<DataRequest>) => countRequest(Sample.request({ environment: "LIVE", ...changed }))
      const before = yield* counts()
      yield* live({ status: "PENDING" })
      yield* live({ status: "APPROVED" })
      yield* live({ status: "APPROVED", decidedBy: { kind: "PERSON" } })
      yield* live({ status: "EXPIRED" })
      assert.deepStrictEqual(
        yield* counts(),
        before.map((count) => count + 1)
      )
    })
  )
})
