import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import { Effect } from "effect"
import { expectFailure, law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

export const appendsInOrder = law(
  "appends each receipt to the chain of its merchant and environment, which begins at the beginning",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    assertEquals(yield* log.chainEnd(scope), ReceiptChain.genesis)
    assertEquals([...(yield* log.chain(scope, 0, 10))], [])
    const first = yield* ConsentAttempt.given(scope, consumer)
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      yield* ConsentAttempt.given(stranger, yield* FreshConsent.person(stranger.environment))
      assert.lengthOf(yield* FreshConsent.soundChain(stranger), 1)
    }
    const second = yield* ConsentAttempt.revoked(first.grant)
    const receipts = yield* FreshConsent.soundChain(scope)
    assert.deepStrictEqual(
      receipts.map(({ id, sequence }) => [sequence, id]),
      [
        [1, first.receipt.id],
        [2, second.receipt.id]
      ]
    )
    assertEquals([...(yield* log.chain(scope, 1, 10))], receipts.slice(1))
    assertEquals([...(yield* log.chain(scope, 0, 1))], receipts.slice(0, 1))
  })
)

export const losesNoReceipt = law(
  "loses and doubles no receipt of 50 grants and their revocations at once, of several people",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const people = [consumer, yield* FreshConsent.person(scope.environment)]
    const plans = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => people[index % 2] ?? consumer),
      (person) =>
        Effect.gen(function* () {
          const given = yield* ConsentAttempt.given(scope, person)
          const revoked = yield* ConsentAttempt.revoked(given.grant)
          return [given.receipt.id, revoked.receipt.id]
        }),
      { concurrency: "unbounded" }
    )
    const receipts = yield* FreshConsent.soundChain(scope)
    assert.sameMembers(
      receipts.map(({ id }) => id),
      plans.flat()
    )
  })
)

export const failuresLeaveNoGap = law(
  "leaves no gap in the chain if commits that fail and commits that succeed arrive at once",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const { event, grant } = yield* ConsentAttempt.given(scope, consumer)
    const good = Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 10, { concurrency: "unbounded" })
    const bad = Effect.forEach(
      Array.from({ length: 5 }),
      () =>
        Effect.all([
          expectFailure(
            "a grant whose id is taken",
            ConsentAttempt.give(scope, consumer, {
              change: (plan) => ({ ...plan, grant: { ...plan.grant, id: grant.id } })
            })
          ),
          expectFailure(
            "a grant whose event's id is taken",
            ConsentAttempt.give(scope, consumer, {
              change: (plan) => ({ ...plan, event: { ...plan.event, id: event.id } })
            })
          )
        ]),
      { concurrency: "unbounded" }
    )
    yield* Effect.all([good, bad], { concurrency: "unbounded" })
    assert.lengthOf(yield* FreshConsent.soundChain(scope), 11)
  })
)

export const laws = [appendsInOrder, losesNoReceipt, failuresLeaveNoGap]
