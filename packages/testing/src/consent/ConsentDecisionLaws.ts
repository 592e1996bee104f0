import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { ConsentPlan, ConsentSnapshot } from "@surety/core/consent/request/decideConsent"
import { EventLog } from "@surety/core/event/EventLog"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Option } from "effect"
import { signalled } from "../event/DispatcherWakes.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

/** Fails unless the store has the plan's request, and the scope has exactly the plan's grant, events and receipt. */
const expectCommitted = Effect.fnUntraced(function* (scope: MerchantScope, plan: ConsentPlan) {
  const log = yield* ConsentLog
  const events = yield* EventLog
  assertEquals(yield* log.findRequest({ id: plan.request.id, scope }), Option.some(plan.request))
  const { grants } = yield* FreshConsent.traceOf(scope)
  assertEquals([...grants], plan.grant === undefined ? [] : [plan.grant])
  const told = (yield* events.list(scope, { limit: 10, cursor: undefined })).data
  assert.sameDeepMembers(told.map(FreshEvent.unplaced), [...plan.events])
  const receipts = yield* FreshConsent.soundChain(scope)
  const drafts = receipts.map(({ hash: _, previousHash: __, sequence: ___, ...draft }) => draft)
  assertEquals(drafts, plan.receipt === undefined ? [] : [plan.receipt])
})

export const commitsApproval = law(
  "commits an approval: the request, the grant, the receipt and both events",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { purpose: "to ship your order" })
    const verdict = { ...ConsentAttempt.approveAll, fields: ["country"] }
    const plan = yield* ConsentAttempt.decided(request.id, verdict, { scope })
    assert.strictEqual(plan.events.length, 2)
    yield* expectCommitted(scope, plan)
    const grant = plan.grant ?? assert.fail("an approval makes a grant")
    assertEquals(yield* log.findGrant({ id: grant.id, scope }), Option.some(grant))
  })
)

export const commitsOthers = law(
  "commits a denial with its receipt and event, an expiry with its receipt, a cancellation with neither",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    for (const verdict of [ConsentAttempt.deny, ConsentAttempt.expire, ConsentAttempt.cancel]) {
      const { consumer, scope } = yield* FreshConsent.parties()
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: now, lifetimeMillis: 10_000 })
      const at = Fresh.later(now, verdict._tag === "Expire" ? 10_000 : 5_000)
      yield* expectCommitted(scope, yield* ConsentAttempt.decided(request.id, verdict, { at }))
    }
  })
)

export const tellsEndpoints = lawAlone(
  "makes a delivery of each event for each endpoint that wants it, and wakes the dispatcher",
  Effect.gen(function* () {
    const events = yield* EventLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const all = yield* FreshEndpoint.make(scope)
    const some = yield* FreshEndpoint.make(scope, { topics: ["merchant.identity.consent_granted"] })
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    const seen: Array<ConsentPlan> = []
    const approval = ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
    assert.isTrue(yield* signalled(Effect.map(approval, (plan) => seen.push(plan))))
    for (const { id, topic } of seen[0]?.events ?? assert.fail("it was approved")) {
      const told = (yield* events.deliveries(scope, id)).map(({ delivery }) => delivery.endpointId)
      const wanting = topic === "merchant.identity.consent_granted" ? [all.id, some.id] : [all.id]
      assert.sameMembers(told, wanting)
    }
    const again = ConsentAttempt.decide(request.id, ConsentAttempt.deny)
    assert.isFalse(yield* signalled(again), "nothing is woken by what is not committed")
  })
)

export const firstDecisionStands = law(
  "decides on the request as it is stored, so that a second decision sees the first and changes nothing",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    for (const first of [ConsentAttempt.approveAll, ConsentAttempt.deny, ConsentAttempt.cancel]) {
      const { request: pending } = yield* ConsentAttempt.askedAnew(scope, consumer, {
        purpose: Fresh.randomText("purpose")
      })
      const { request } = yield* ConsentAttempt.decided(pending.id, first)
      const before = yield* FreshConsent.traceOf(scope)
      for (const second of [ConsentAttempt.approveAll, ConsentAttempt.deny, ConsentAttempt.cancel]) {
        const decision = yield* ConsentAttempt.decide(pending.id, second)
        assertEquals(decision, Option.some({ _tag: "Stands", request }))
      }
      assertEquals(yield* FreshConsent.traceOf(scope), before)
    }
  })
)

export const oneDecisionWins = law(
  "commits exactly one of 20 approvals, denials and cancellations at once, with its events and receipt alone",
  Effect.gen(function* () {
    for (const first of [ConsentAttempt.deny, ConsentAttempt.cancel]) {
      const { consumer, scope } = yield* FreshConsent.parties()
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
      const decisions = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? first : ConsentAttempt.approveAll)),
        (verdict) => Effect.map(ConsentAttempt.decide(request.id, verdict), Option.getOrThrow),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, Stands: 19 })
      for (const decision of decisions) {
        if (decision._tag === "Execute") yield* expectCommitted(scope, decision.plan)
      }
    }
  })
)

export const noSuchRequest = law(
  "decides nothing about a missing request",
  Effect.gen(function* () {
    const id = Fresh.dataRequestId(yield* Fresh.now)
    assertEquals(yield* ConsentAttempt.decide(id, ConsentAttempt.approveAll), Option.none())
  })
)

export const makesManagementLink = law(
  "stores the management link of a decision that commits, and of no other",
  Effect.gen(function* () {
    const links = yield* ManagementLinkStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    const [first, second] = [Fresh.randomText("token"), Fresh.randomText("token")].map((text) =>
      ConsentTokenHash.make(Fresh.sha256(text, "hex"))
    )
    if (first === undefined || second === undefined) return assert.fail("there are two")
    const plan = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll, { managementTokenHash: first })
    assert.isDefined(plan.managementLink)
    assertEquals(yield* links.find(first), Option.fromUndefinedOr(plan.managementLink))
    yield* ConsentAttempt.decide(request.id, ConsentAttempt.deny, { managementTokenHash: second })
    assertEquals(yield* links.find(second), Option.none())
  })
)

export const seesStaleSnapshot = law(
  "decides again if the snapshot that the caller read is stale",
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request: pending } = yield* ConsentAttempt.askedAnew(scope, consumer)
    const seen: Array<ConsentSnapshot> = []
    yield* store.decide({ id: pending.id, scope }, (snapshot) => {
      seen.push(snapshot)
      return { _tag: "Stands", request: snapshot.request }
    })
    const loaded = seen[0] ?? assert.fail("it is pending")
    const { request } = yield* ConsentAttempt.decided(pending.id, ConsentAttempt.deny, { loaded })
    const before = yield* FreshConsent.traceOf(scope)
    const late = yield* ConsentAttempt.decide(pending.id, ConsentAttempt.approveAll, { loaded })
    assertEquals(late, Option.some({ _tag: "Stands", request }))
    assertEquals(yield* FreshConsent.traceOf(scope), before)
  })
)

export const laws = [
  commitsApproval,
  commitsOthers,
  tellsEndpoints,
  firstDecisionStands,
  oneDecisionWins,
  noSuchRequest,
  makesManagementLink,
  seesStaleSnapshot
]
