import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { dataChanged } from "@surety/core/consent/ConsentEvents"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { KycStore } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Effect, Option, Redacted } from "effect"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as FreshPendingRefund from "../refund/FreshPendingRefund.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as ErasureAttempt from "./ErasureAttempt.js"
import * as FreshRightsRequest from "./FreshRightsRequest.js"

export const keepsMoney = law(
  "keeps an erased person's payments and refunds under the pseudonym: refunds replay, more can be refunded, books agree",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const payments = yield* PaymentStore
    const ledger = yield* Ledger
    const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const key = Fresh.idempotencyKey()
    const { answer, refund } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 400n, key })
    const { pseudonym } = yield* ErasureAttempt.erased(sale.consumer)
    const replay = yield* RefundAttempt.make(sale.scope, sale.payment, { amountMinor: 400n, key })
    if (replay._tag !== "Replay") return assert.fail(`Expected a replay, got ${RefundAttempt.nameOf(replay)}`)
    assert.strictEqual(replay.answer, answer)
    assert.strictEqual(replay.refundId, refund.id)
    const kept = Option.getOrThrow(yield* payments.find(sale.scope, sale.payment.id))
    assertEquals(kept, { ...sale.payment, userId: pseudonym, refundedMinor: 400n })
    yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 600n })
    assert.strictEqual(
      yield* LedgerChecks.balanceMinor({ ...FreshPayment.walletAccount(sale), owner: pseudonym }),
      1_000n
    )
    assert.isUndefined(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)))
    const faults = yield* ledger.audit
    assert.isFalse(faults.some(({ subject }) => subject.includes(pseudonym) || subject.includes(sale.payment.id)))
    const person = Option.getOrThrow(yield* store.find("LIVE", sale.consumer.serviceId))
    const remains = yield* store.remains(person)
    assert.deepInclude(remains, { payments: 1, refunds: 2, accounts: 1, grants: 0, reads: 0 })
  })
)

export const waitsForRefunds = law(
  "erases no one while a refund to them is pending",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const { sale } = yield* FreshPendingRefund.make()
    const decision = yield* ErasureAttempt.decide(sale.consumer)
    assert.strictEqual(Option.getOrThrow(decision)._tag, "Refuse")
    const { consumer, payment, scope } = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const plan = yield* ErasureAttempt.planned(consumer)
    const { refund } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 1n, custody: "HOST" })
    assert.isFalse(yield* store.erase(plan), "one that was begun after the plan was made")
    const pending = {
      sale: { consumer, payment, scope },
      refund,
      key: Fresh.idempotencyKey(),
      madeAt: refund.createdAt
    }
    yield* FreshPendingRefund.settle(pending)
    yield* ErasureAttempt.erased(consumer)
  })
)

export const storesNothingAfter = law(
  "stores no payment under the former user id of an erased person",
  Effect.gen(function* () {
    const payments = yield* PaymentStore
    const { consumer, payment, scope } = yield* FreshPayment.unstored()
    yield* ErasureAttempt.erased(consumer)
    assert.strictEqual(yield* payments.record(FreshPayment.settlementOf(payment)), "person_unknown")
    assertEquals(yield* payments.find(scope, payment.id), Option.none())
  })
)

export const forgetsNumbers = law(
  "removes the hash, the last characters and the key of an erased person's verifications, and ends open ones",
  Effect.gen(function* () {
    const kyc = yield* KycStore
    const log = yield* VerificationLog
    const done = yield* FreshVerification.make()
    yield* kyc.settle(FreshVerification.verifiedBy(done.leased))
    const { scope, consumer } = done
    const open = FreshVerification.planOf(yield* FreshVerification.attempt(scope, consumer)).verification
    const leased = { verification: open, fence: 1, looks: 0, codes: 0, dueAt: open.createdAt }
    const waiting = FreshVerification.progressOf(leased, FreshVerification.needsConsent(leased), {
      dueAt: open.createdAt
    })
    yield* kyc.settle(waiting)
    yield* ErasureAttempt.erased(consumer)
    const { data } = yield* log.listAll(scope, { limit: 10, cursor: undefined })
    assert.sameMembers(
      data.map(({ id }) => id),
      [done.verification.id, open.id]
    )
    for (const { id, idHash, idLast4, nextAction, providerReference, status, userId } of data) {
      assert.isUndefined(nextAction)
      assert.strictEqual(status, id === open.id ? "ERROR" : "VERIFIED")
      assert.strictEqual(idLast4, "")
      assert.notInclude([done.verification.idHash, open.idHash], idHash)
      assert.isUndefined(providerReference)
      assert.notStrictEqual(userId, consumer.userId)
    }
    const late = FreshVerification.verifiedBy(leased)
    assertEquals(yield* kyc.settle(late), Option.none(), "a provider's late result is stored nowhere")
    const again = yield* FreshVerification.look(scope, consumer, { key: done.key })
    assert.isUndefined(again.prior)
    assert.isUndefined(again.byUserId)
  })
)

export const forgetsReceiversAnswers = law(
  "removes what receivers answered to the events about an erased person, and about no one else",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const consumers = yield* ConsumerStore
    const start = yield* Fresh.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEndpoint.make(scope, { at: start })
    const answer = Effect.gen(function* () {
      const due = yield* FreshEvent.claimOne(Fresh.later(start, FreshEvent.minute))
      yield* queue.settle(due, FreshEvent.attemptOf(due, start), { _tag: "Delivered" })
    })
    const answered = Effect.fnUntraced(function* () {
      const { consumer, payment } = yield* FreshPayment.unstored({ scope, at: start })
      const { event: settled } = yield* FreshPayment.recorded(FreshPayment.settlementOf(payment))
      yield* answer
      const corrected = yield* Fresh.withRandom(dataChanged(scope, consumer.serviceId, [IdentityField.make("country")]))
      const changed = { ...corrected, occurredAt: start }
      assert.isTrue(yield* consumers.change(consumer, { ...consumer, country: "KE" }, [changed], []))
      yield* answer
      return { consumer, events: [settled?.id ?? assert.fail("a settlement has an event"), changed.id] }
    })
    const mine = yield* answered()
    const theirs = yield* answered()
    yield* ErasureAttempt.erased(mine.consumer)
    const bodies = Effect.fnUntraced(function* ({ events }: typeof mine) {
      const histories = yield* Effect.forEach(events, (id) => log.deliveries(scope, id))
      return histories
        .flat()
        .flatMap(({ attempts }) => attempts.map(({ responseBody, responseStatus }) => [responseStatus, responseBody]))
    })
    assert.deepStrictEqual(yield* bodies(mine), [
      [200, undefined],
      [200, undefined]
    ])
    assert.deepStrictEqual(yield* bodies(theirs), [
      [200, "ok"],
      [200, "ok"]
    ])
  })
)

export const closesRightsRequests = law(
  "closes an erased person's rights requests, and removes what the person wrote",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const requests = yield* RightsRequestStore
    const { consumer } = yield* FreshConsent.parties()
    const note = Redacted.make("my name is misspelt")
    const wrong = { ...FreshRightsRequest.of(consumer, "RECTIFY", yield* Fresh.now), note }
    const gone = FreshRightsRequest.of(consumer, "ERASE", yield* Fresh.now)
    for (const request of [wrong, gone]) yield* requests.ask(request)
    yield* ErasureAttempt.erased(consumer)
    const closed = yield* Effect.forEach([wrong, gone], ({ id }) => FreshRightsRequest.found("LIVE", id))
    assert.deepStrictEqual(
      closed.map(({ status }) => status),
      ["REFUSED", "DONE"]
    )
    assert.isUndefined(closed[0]?.note)
    assert.isFalse(closed.some(({ userId }) => userId === consumer.userId))
    assertEquals(yield* requests.ask(FreshRightsRequest.of(consumer, "EXPORT", yield* Fresh.now)), Option.none())
    const person = Option.getOrThrow(yield* store.find("LIVE", consumer.serviceId))
    assert.strictEqual((yield* store.remains(person)).rightsRequests, 2)
  })
)

export const laws = [
  keepsMoney,
  waitsForRefunds,
  storesNothingAfter,
  forgetsNumbers,
  forgetsReceiversAnswers,
  closesRightsRequests
]
