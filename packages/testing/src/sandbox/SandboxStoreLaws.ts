import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { farthestSeconds, SandboxStore } from "@surety/core/sandbox/SandboxStore"
import { DateTime, Effect, type Layer, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import type { ConsentUpkeepPorts } from "../consent/ConsentUpkeepLaws.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import type { RefundStorePorts } from "../refund/RefundStoreLaws.js"

type Ports = SandboxStore | RefundStorePorts | ConsentUpkeepPorts | DeliveryQueue | KycStore | VerificationLog

const minute = 60_000

const someSeconds = 90

/**
 * Creates a pending request, an active grant, a due delivery and an open verification, dated `at`. A test clock brings
 * forward the times at which they expire or fall due.
 */
const waiting = Effect.fnUntraced(function* (scope: MerchantScope, at: DateTime.Utc) {
  const consumer = yield* FreshConsent.person(scope.environment)
  const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at, lifetimeMillis: 30 * minute })
  const { grant } = yield* ConsentAttempt.given(scope, consumer, { at, lifetimeMillis: 30 * minute })
  // Closes the request and the grant after the law, so that other laws do not find them. Tries both endings: a record
  // past its expiry can only be expired, not cancelled or revoked.
  const upkeep = yield* ConsentUpkeep
  yield* Effect.addFinalizer(() =>
    Effect.all(
      [
        ConsentAttempt.decide(request.id, ConsentAttempt.cancel, { at }),
        ConsentAttempt.decide(request.id, ConsentAttempt.expire, { at }),
        ConsentAttempt.end(grant.id, ConsentAttempt.revoke, { at }),
        ConsentAttempt.end(grant.id, { _tag: "Expire" }, { at }),
        upkeep.forgetAnswers(Fresh.later(at, minute), 100)
      ].map((end) => Effect.ignore(end)),
      { discard: true }
    )
  )
  const endpoint = yield* FreshEndpoint.make(scope, { at })
  yield* FreshEvent.make(scope, at)
  const verification = yield* FreshVerification.make({ scope, at })
  return { scope, consumer, request, grant, endpoint, verification }
})

type Waiting = Effect.Success<ReturnType<typeof waiting>>

const millis = (at: DateTime.Utc | undefined): number | undefined => at && DateTime.toEpochMillis(at)

/**
 * Returns the times, in epoch milliseconds, at which requests and grants expire, deliveries are due and endpoints began
 * to fail.
 */
const dueTimes = Effect.fnUntraced(function* ({ endpoint, scope }: Waiting) {
  const { grants, requests } = yield* FreshConsent.traceOf(scope)
  const events = yield* EventLog
  const filter = { ...scope, status: undefined, endpointId: endpoint.id }
  const deliveries = yield* PageWalk.all((page) => events.listDeliveries(filter, page), 100)
  const endpoints = yield* (yield* WebhookEndpointStore).list(scope.merchantId)
  return {
    requests: requests.map(({ expiresAt }) => millis(expiresAt)),
    grants: grants.map(({ expiresAt }) => millis(expiresAt)),
    deliveries: deliveries.map(({ nextAttemptAt }) => millis(nextAttemptAt)),
    failing: endpoints.map(({ failingSince }) => millis(failingSince))
  }
})

const sooner = (times: Effect.Success<ReturnType<typeof dueTimes>>, seconds: number): typeof times => {
  const moved = (all: ReadonlyArray<number | undefined>) => all.map((at) => at && at - seconds * 1000)
  return {
    requests: moved(times.requests),
    grants: moved(times.grants),
    deliveries: moved(times.deliveries),
    failing: moved(times.failing)
  }
}

const recordsOf = Effect.fnUntraced(function* (made: Waiting) {
  const verifications = yield* VerificationLog
  const listed = yield* PageWalk.all((page) => verifications.list(made.scope, page), 100)
  return {
    trace: yield* FreshConsent.traceOf(made.scope),
    due: yield* dueTimes(made),
    verifications: listed
  }
})

const advanced = Effect.fnUntraced(function* ({ merchantId }: MerchantScope, seconds: number) {
  const store = yield* SandboxStore
  return Option.getOrThrow(yield* store.advanceClock(merchantId, seconds))
})

export const switchesTestRefunds = law(
  "switches a merchant's TEST refunds, never its LIVE ones or another's, nor what the operator has switched off",
  Effect.gen(function* () {
    const store = yield* SandboxStore
    const merchant = yield* FreshMerchant.make()
    const test = FreshMerchant.scopeOf(merchant, "TEST")
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const mayRefund = Effect.fnUntraced(function* (scope: MerchantScope) {
      const sale = yield* FreshPayment.settled({ scope })
      return (yield* RefundAttempt.look(scope, sale.payment)).refundsEnabled
    })
    const fresh = { refundsEnabled: true, clockSeconds: 0 }
    assertEquals(yield* store.find(merchant.id), Option.some(fresh))
    assertEquals(yield* store.switchRefunds(merchant.id, false), Option.some({ ...fresh, refundsEnabled: false }))
    assertEquals(yield* Effect.forEach([test, FreshMerchant.scopeOf(merchant), neighbour], mayRefund), [
      false,
      true,
      true
    ])
    assertEquals(yield* store.switchRefunds(merchant.id, true), Option.some(fresh))
    assert.isTrue(yield* mayRefund(test))
    yield* FreshMerchant.saveSettings(merchant.id, (settings) => ({ ...settings, refundsEnabled: false }))
    assertEquals(yield* store.switchRefunds(merchant.id, true), Option.some({ ...fresh, refundsEnabled: false }))
    assert.isFalse(yield* mayRefund(test))
    assertEquals(yield* store.switchRefunds((yield* FreshMerchant.unstored()).id, true), Option.none())
  })
)

export const movesWhatWaits = law(
  "brings forward by the same seconds all that waits in a merchant's TEST environment, and nothing that happened",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const made = yield* waiting(scope, at)
    const before = yield* recordsOf(made)
    assertEquals(yield* advanced(scope, someSeconds), { _tag: "Advanced", clockSeconds: someSeconds })
    const after = yield* recordsOf(made)
    assertEquals(after.due, sooner(before.due, someSeconds))
    const [request] = after.trace.requests
    const [grant] = after.trace.grants
    assertEquals(request?.createdAt, made.request.createdAt)
    assertEquals(grant?.grantedAt, made.grant.grantedAt)
    assertEquals([...after.trace.receipts], [...before.trace.receipts])
    assertEquals([...after.verifications], [...before.verifications])
    yield* FreshConsent.soundChain(scope)
    assertEquals(
      yield* (yield* SandboxStore).find(scope.merchantId),
      Option.some({
        refundsEnabled: true,
        clockSeconds: someSeconds
      })
    )
    const lookup = yield* FreshVerification.claim(made.verification, 1)
    const { dueAt } = made.verification.leased
    assert.strictEqual(millis(lookup[0]?.dueAt), DateTime.toEpochMillis(dueAt) - someSeconds * 1000)
  })
)

export const movesActions = law(
  "brings forward the time that a holder has for a next action",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const store = yield* KycStore
    const scopes = [
      FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST"),
      FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    ]
    const waitings = yield* Effect.forEach(scopes, (scope) => FreshVerification.make({ scope, at }))
    const [own, other] = waitings
    if (own === undefined || other === undefined) return assert.fail("there are two")
    for (const { leased } of waitings) {
      const change = FreshVerification.needsCode(leased)
      const dueAt = change.nextAction?.expiresAt
      assert.isTrue(Option.isSome(yield* store.settle(FreshVerification.progressOf(leased, change, { dueAt }))))
    }
    const expiryOf = ({ scope, verification }: typeof own) =>
      Effect.map(store.find(scope, verification.id), (found) => millis(Option.getOrThrow(found).nextAction?.expiresAt))
    const before = yield* Effect.forEach(waitings, expiryOf)
    yield* advanced(own.scope, someSeconds)
    assertEquals(yield* Effect.forEach(waitings, expiryOf), [(before[0] ?? 0) - someSeconds * 1000, before[1]])
    // Ends the verifications, since a law must leave none open. An ended verification has no next action.
    for (const begun of waitings) {
      const held = FreshVerification.given(yield* FreshVerification.leaseVerification(begun, 5))
      const { nextAction: _, ...verification } = held.verification
      const end = {
        status: "ERROR",
        failureReason: "law_over",
        completedAt: Fresh.later(begun.madeAt, minute)
      } as const
      yield* store.settle(FreshVerification.progressOf({ ...held, verification }, end))
    }
  })
)

export const movesNobodyElse = law(
  "moves no other merchant's records, and no LIVE record of the same merchant",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const merchant = yield* FreshMerchant.make()
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const others = yield* Effect.forEach([FreshMerchant.scopeOf(merchant), neighbour], (scope) => waiting(scope, at))
    const before = yield* Effect.forEach(others, recordsOf)
    yield* advanced(FreshMerchant.scopeOf(merchant, "TEST"), someSeconds)
    assertEquals(yield* Effect.forEach(others, recordsOf), before)
    const clock = yield* (yield* SandboxStore).find(neighbour.merchantId)
    assertEquals(clock, Option.some({ refundsEnabled: true, clockSeconds: 0 }))
  })
)

export const keepsLeases = law(
  "ends no lease, however far the clock moves",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const made = yield* waiting(scope, at)
    yield* FreshEvent.claimOne(at)
    yield* advanced(scope, farthestSeconds)
    assertEquals([...(yield* FreshEvent.claim(at))], [], "the delivery is its sender's for a minute")
    assertEquals(yield* FreshVerification.leaseVerification(made.verification, 0.5), Option.none())
    assert.strictEqual((yield* FreshEvent.claim(Fresh.later(at, minute))).length, 1)
  })
)

export const stopsAtTheEnd = law(
  "moves a clock 400 days in all and no further, under any concurrency, and then moves nothing",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const made = yield* waiting(scope, at)
    const before = yield* dueTimes(made)
    const step = farthestSeconds / 8
    const moves = yield* Effect.replicateEffect(advanced(scope, step), 12, { concurrency: "unbounded" })
    assert.strictEqual(moves.filter(({ _tag }) => _tag === "Advanced").length, 8)
    const end = sooner(before, farthestSeconds)
    assertEquals(yield* dueTimes(made), end)
    assertEquals(yield* advanced(scope, 1), { _tag: "TooFar", clockSeconds: farthestSeconds })
    assertEquals(yield* dueTimes(made), end)
    const unknown = yield* FreshMerchant.unstored()
    assertEquals(yield* (yield* SandboxStore).advanceClock(unknown.id, 1), Option.none())
  })
)

export const lapsesOnlyOwn = law(
  "lets only the merchant's own pending requests and active grants in TEST expire, and never later than they would",
  Effect.gen(function* () {
    const store = yield* SandboxStore
    const at = yield* FreshVerification.longAgo
    const merchant = yield* FreshMerchant.make()
    const own = yield* waiting(FreshMerchant.scopeOf(merchant, "TEST"), at)
    const live = yield* waiting(FreshMerchant.scopeOf(merchant), at)
    const foreign = yield* waiting(FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST"), at)
    const before = yield* Effect.forEach([live, foreign], dueTimes)
    const soon = Fresh.later(at, minute)
    for (const { grant, request } of [own, live, foreign]) {
      yield* store.lapseRequest(merchant.id, request.id, soon)
      yield* store.lapseGrant(merchant.id, grant.id, soon)
      yield* store.lapseRequest(merchant.id, request.id, Fresh.later(soon, minute))
      yield* store.lapseGrant(merchant.id, grant.id, Fresh.later(soon, minute))
    }
    assertEquals(yield* Effect.forEach([live, foreign], dueTimes), before)
    const times = yield* dueTimes(own)
    assertEquals([times.requests, times.grants], [[millis(soon)], [millis(soon)]])
    const ended = yield* ConsentAttempt.decided(own.request.id, ConsentAttempt.cancel, { at })
    yield* ConsentAttempt.revoked(own.grant, { at })
    yield* store.lapseRequest(merchant.id, own.request.id, at)
    yield* store.lapseGrant(merchant.id, own.grant.id, at)
    assertEquals([...(yield* FreshConsent.traceOf(own.scope)).requests], [ended.request])
    assertEquals((yield* dueTimes(own)).grants, [millis(soon)])
  })
)

export const laws = [
  switchesTestRefunds,
  movesWhatWaits,
  movesActions,
  movesNobodyElse,
  keepsLeases,
  stopsAtTheEnd,
  lapsesOnlyOwn
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>("SandboxStore", laws)
