import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { dataChanged } from "@surety/core/consent/ConsentEvents"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { KycStore } from "@surety/core/kyc/KycStore"
import { PersonLog, type ReadFilter } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Effect, type Layer, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as FreshRightsRequest from "./FreshRightsRequest.js"
import type { PersonStorePorts } from "./PersonStoreLaws.js"

/** Records created in the same millisecond may come in any order, so the law waits between them. */
const nextMilli = Effect.sleep("2 millis")

export const holdsEverything = law(
  "returns every kind of record that is held of a person, and nothing of another's or another environment's",
  Effect.gen(function* () {
    const log = yield* PersonLog
    const store = yield* PersonStore
    const consumers = yield* ConsumerStore
    const kyc = yield* KycStore
    const requests = yield* RightsRequestStore
    const fill = Effect.fnUntraced(function* () {
      const begun = yield* FreshVerification.make()
      const { consumer, leased, scope } = begun
      yield* kyc.settle(FreshVerification.verifiedBy(leased))
      const given = yield* ConsentAttempt.given(scope, consumer)
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
      yield* ConsentAttempt.decided(request.id, ConsentAttempt.disown)
      const liftedAt = yield* Fresh.now
      assert.strictEqual(yield* (yield* ConsentStore).liftBlock(scope, consumer.userId, liftedAt), "NOT_ME")
      yield* ConsentAttempt.readable(scope, consumer)
      const { grant } = yield* ConsentAttempt.revoked(given.grant)
      const { payment } = yield* FreshPayment.settled({ scope, consumer, amountMinor: 1_000n })
      const { refund } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 400n })
      const right = FreshRightsRequest.of(consumer, "EXPORT", yield* Fresh.now)
      yield* requests.ask(right)
      const before = Option.getOrThrow(yield* consumers.findByServiceId("LIVE", consumer.serviceId))
      const changed = yield* Fresh.withRandom(dataChanged(scope, consumer.serviceId, [IdentityField.make("country")]))
      assert.isTrue(yield* consumers.change(before, { ...before, country: "KE" }, [changed], []))
      return { consumer, grant, liftedAt, payment, refund, request, right, scope, verification: begun.verification }
    })
    const mine = yield* fill()
    yield* fill()
    const at = yield* Fresh.now
    yield* store.restrict("LIVE", mine.consumer.serviceId, at)
    const held = Option.getOrThrow(yield* log.holdings("LIVE", mine.consumer.serviceId))
    const consumer = Option.getOrThrow(yield* consumers.findByServiceId("LIVE", mine.consumer.serviceId))
    assertEquals(held.consumer, consumer)
    assertEquals(held.restrictedAt, at)
    assertEquals([...held.links], [FreshConsumer.linkOf(mine.scope, mine.consumer)])
    assertEquals([...held.grants], [mine.grant])
    assert.deepStrictEqual(
      held.dataRequests.map(({ id, status }) => [id, status]),
      [[mine.request.id, "DENIED"]]
    )
    assert.deepStrictEqual(
      held.askingBlocks.map(({ dataRequestId, liftedAt }) => [dataRequestId, liftedAt]),
      [[mine.request.id, mine.liftedAt]]
    )
    assert.lengthOf(held.reads, 1)
    assert.lengthOf(held.receipts, 4, "of the verification, the grant, the denial and the grant's end")
    assert.deepStrictEqual(
      held.verifications.map(({ id }) => id),
      [mine.verification.id]
    )
    assert.deepStrictEqual(
      held.evidence.map(({ verificationId }) => verificationId),
      [mine.verification.id]
    )
    assertEquals([...held.payments], [{ ...mine.payment, refundedMinor: 400n }])
    assert.deepStrictEqual(
      held.refunds.map(({ id }) => id),
      [mine.refund.id]
    )
    assertEquals([...held.wallets], [{ currency: mine.payment.amount.currency, minor: 400n }])
    assert.sameMembers(
      held.messages.map(({ topic }) => topic),
      [
        "kyc.verification.completed",
        "merchant.identity.consent_granted",
        "merchant.identity.consent_revoked",
        "merchant.identity.data_changed",
        "merchant.identity.request.denied",
        "transaction.settled",
        "refund.completed"
      ]
    )
    assertEquals([...held.rightsRequests], [mine.right])
    for (const { userId } of [...held.grants, ...held.reads, ...held.receipts, ...held.payments]) {
      assert.strictEqual(userId, mine.consumer.userId)
    }
    assertEquals(yield* log.holdings("TEST", mine.consumer.serviceId), Option.none())
  })
)

export const holdsNewest = law(
  "returns the newest of each kind of record if no more are asked for, with their refunds and messages",
  Effect.gen(function* () {
    const log = yield* PersonLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const buy = Effect.fnUntraced(function* () {
      const { payment } = yield* FreshPayment.settled({ scope, consumer, amountMinor: 1_000n })
      const { refund } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 400n })
      yield* nextMilli
      return { payment, refund }
    })
    yield* buy()
    const { grant: first } = yield* ConsentAttempt.given(scope, consumer)
    yield* nextMilli
    const last = [yield* buy(), yield* buy()]
    const { grant: second } = yield* ConsentAttempt.given(scope, consumer)
    const all = Option.getOrThrow(yield* log.holdings("LIVE", consumer.serviceId))
    const held = Option.getOrThrow(yield* log.holdings("LIVE", consumer.serviceId, 2))
    const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)
    assert.lengthOf(all.payments, 3)
    assert.deepStrictEqual(idsOf(held.payments), idsOf(all.payments.slice(-2)))
    assert.sameMembers(idsOf(held.payments), idsOf(last.map(({ payment }) => payment)))
    assert.sameMembers(idsOf(held.refunds), idsOf(last.map(({ refund }) => refund)))
    assert.deepStrictEqual(idsOf(held.grants), [first.id, second.id])
    assert.deepStrictEqual(
      held.messages.map(({ eventId }) => eventId),
      all.messages.slice(-2).map(({ eventId }) => eventId)
    )
    const one = Option.getOrThrow(yield* log.holdings("LIVE", consumer.serviceId, 1))
    assert.deepStrictEqual(idsOf(one.grants), [second.id])
    assert.deepStrictEqual(idsOf(one.receipts), idsOf(all.receipts.slice(-1)))
    assertEquals(one.wallets, all.wallets)
  })
)

export const reportsReads = law(
  "lists the reads of a time, newest first, by merchant and by API key",
  Effect.gen(function* () {
    const log = yield* PersonLog
    const start = yield* Fresh.longAgo
    const { consumer, scope } = yield* FreshConsent.parties()
    const { scope: other } = yield* FreshConsent.parties()
    const key = Fresh.apiKeyId(start)
    const at = (minutes: number) => Fresh.later(start, minutes * 60_000)
    for (const of of [scope, other]) {
      const { grant } = yield* ConsentAttempt.given(of, consumer, { at: start })
      yield* Effect.addFinalizer(() => Effect.ignore(ConsentAttempt.revoked(grant, { at: at(10) })))
    }
    yield* ConsentAttempt.read(scope, consumer, { at: at(1) })
    yield* ConsentAttempt.read(scope, consumer, { at: at(2), apiKeyId: key })
    yield* ConsentAttempt.read(other, consumer, { at: at(3) })
    const everything: ReadFilter = {
      environment: "LIVE",
      since: start,
      until: at(10),
      merchantId: undefined,
      apiKeyId: undefined
    }
    const minutesOf = (filter: Partial<ReadFilter>, limit = 100) =>
      Effect.map(
        PageWalk.all((page) => log.reads({ ...everything, ...filter }, page), limit),
        (reads) =>
          reads
            .filter(({ userId }) => userId === consumer.userId)
            .map(({ readAt }) => readAt.epochMilliseconds - start.epochMilliseconds)
      )
    const minutes = (...counts: ReadonlyArray<number>) => counts.map((count) => count * 60_000)
    assert.deepStrictEqual(yield* minutesOf({}, 1), minutes(3, 2, 1))
    assert.deepStrictEqual(yield* minutesOf({ since: at(2) }), minutes(3, 2))
    assert.deepStrictEqual(yield* minutesOf({ until: at(2) }), minutes(1))
    assert.deepStrictEqual(yield* minutesOf({ merchantId: scope.merchantId }), minutes(2, 1))
    assert.deepStrictEqual(yield* minutesOf({ apiKeyId: key }), minutes(2))
    assert.deepStrictEqual(yield* minutesOf({ environment: "TEST" }), [])
  })
)

export const laws = [holdsEverything, holdsNewest, reportsReads]

export const suite: (adapter: string, layer: Layer.Layer<PersonStorePorts, unknown>) => void = suiteOf(
  "PersonLog",
  laws
)
