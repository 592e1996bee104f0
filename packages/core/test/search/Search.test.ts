import { assert, describe, it } from "@effect/vitest"
import { Consumers } from "@surety/core/consumer/Consumers"
import { Refunds } from "@surety/core/refund/Refunds"
import { RefundTimelines } from "@surety/core/refund/RefundTimelines"
import { Search } from "@surety/core/search/Search"
import { placedIdOf, searchTerms } from "@surety/core/search/SearchTerms"
import { Effect, Redacted } from "effect"
import * as Sandbox from "../Sandbox.js"

const line = (text: string) => Redacted.make(text)

describe("A search", () => {
  it.effect("leads to the record of a whole id, and counts what the other environment has", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const refunds = yield* Refunds
      const command = Sandbox.refundOf({ transactionId: payment.id, reason: "late" })
      const { refund } = yield* refunds.create(scope, Sandbox.key("r"), command)
      const found = yield* search.find("TEST", line(` ${refund.id.toUpperCase()} `))
      assert.deepStrictEqual(found, { _tag: "Record", place: { kind: "refund", id: refund.id, ...scope } })
      assert.deepStrictEqual(yield* search.find("LIVE", line(refund.id)), { _tag: "Found", groups: [], elsewhere: 1 })
      const byReference = yield* search.find("TEST", line("order-1001"))
      if (byReference._tag !== "Found") return assert.fail("a reference is no id")
      assert.deepStrictEqual(
        byReference.groups.map(({ kind }) => kind),
        ["payment", "refund"]
      )
      assert.strictEqual(byReference.elsewhere, 0)
      const there = yield* search.find("LIVE", line("order-1001"))
      assert.deepStrictEqual(there, { _tag: "Found", groups: [], elsewhere: 2 })
      const timeline = yield* (yield* RefundTimelines).get("TEST", refund.id)
      assert.strictEqual(timeline.payment?.id, payment.id)
      assert.deepStrictEqual(
        timeline.events.map(({ event }) => event.topic),
        ["refund.completed"]
      )
      assert.lengthOf(timeline.transfers, 1)
      const elsewhere = yield* Effect.flip((yield* RefundTimelines).get("LIVE", refund.id))
      assert.strictEqual(elsewhere._tag, "RefundNotFound")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("finds a person by the beginning of the name in any letter case, with five of many", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const consumers = yield* Consumers
      for (let count = 0; count < 7; count += 1) {
        const displayName = Redacted.make(`Zainab ${count}`)
        yield* consumers.create({ environment: "LIVE", phoneVerified: false, displayName }, undefined)
      }
      const found = yield* search.find("LIVE", line("zaiNAB"))
      if (found._tag !== "Found") return assert.fail("a name is no id")
      assert.deepStrictEqual(
        found.groups.map(({ count, hits, kind }) => [kind, hits.length, count]),
        [["person", 5, 7]]
      )
      for (const text of ["z", "", "  ", "x".repeat(256), "za\u0000in", "\ud800za"]) {
        assert.deepStrictEqual(yield* search.find("LIVE", line(text)), { _tag: "Found", groups: [], elsewhere: 0 })
      }
    }).pipe(Effect.provide(Sandbox.layer))
  )
})

describe("searchTerms", () => {
  it("tells an e-mail address, a code and an identifier from a name", () => {
    const kinds = (text: string) => {
      const { businessCode, email, nameStart, serviceId } = searchTerms(line(text)) ?? {}
      return {
        businessCode,
        serviceId,
        email: email && Redacted.value(email),
        name: nameStart && Redacted.value(nameStart)
      }
    }
    assert.strictEqual(kinds("Ada@Example.com").email, "Ada@Example.com")
    assert.strictEqual(kinds("Ada Obi").email, undefined)
    assert.strictEqual(kinds("Ada Obi").name, "Ada Obi")
    assert.strictEqual(kinds("sr1k7qmwx4ta").serviceId, "SR1-K7QM-WX4T-A")
    assert.strictEqual(kinds("srm-2222-2222-2").businessCode, "SRM-2222-2222-2")
    assert.strictEqual(placedIdOf(line("refund_01h455vb4pex5vsknk084sn02q"))?.kind, "refund")
    for (const text of ["refund_01h455", "user_01h455vb4pex5vsknk084sn02q", "refund_81h455vb4pex5vsknk084sn02q"]) {
      assert.strictEqual(placedIdOf(line(text)), undefined, text)
    }
  })
})
