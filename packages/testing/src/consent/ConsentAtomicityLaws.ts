import { assertEquals } from "@effect/vitest/utils"
import type { GrantPlan } from "@surety/core/consent/grant/decideGrant"
import type { ConsentPlan } from "@surety/core/consent/request/decideConsent"
import { EventLog } from "@surety/core/event/EventLog"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect } from "effect"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, law } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

const traceOf = Effect.fnUntraced(function* (scope: MerchantScope) {
  const events = yield* EventLog
  const told = yield* PageWalk.all((page) => events.list(scope, page), 100)
  const deliveries = yield* Effect.forEach(told, ({ id }) => events.deliveries(scope, id))
  return { ...(yield* FreshConsent.traceOf(scope)), told, deliveries }
})

/** Ways to make an approval impossible to store. Each gives one new record an id that is already in use. */
const spoilings: ReadonlyArray<{
  readonly part: string
  readonly spoil: (plan: ConsentPlan, taken: GrantPlan) => ConsentPlan
}> = [
  {
    part: "grant",
    spoil: (plan, taken) => ({ ...plan, grant: plan.grant && { ...plan.grant, id: taken.grant.id } })
  },
  {
    part: "receipt",
    spoil: (plan, taken) => ({ ...plan, receipt: plan.receipt && { ...plan.receipt, id: taken.receipt.id } })
  },
  {
    part: "last event",
    spoil: (plan, taken) => ({
      ...plan,
      events: plan.events.map((event, index) => (index === 1 ? { ...event, id: taken.event.id } : event))
    })
  }
]

export const approvesAllOrNothing = law(
  "commits all of an approval or nothing: if its grant, receipt or an event cannot be stored, the request waits on",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* FreshEndpoint.make(scope)
    const taken = yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })
    const { request } = yield* ConsentAttempt.asked(scope, consumer)
    const before = yield* traceOf(scope)
    for (const { part, spoil } of spoilings) {
      const attempt = ConsentAttempt.decide(request.id, ConsentAttempt.approveAll, {
        change: (plan) => spoil(plan, taken)
      })
      yield* expectFailure(`an approval whose ${part}'s id is taken`, attempt)
      assertEquals(yield* traceOf(scope), before)
    }
    yield* FreshConsent.soundChain(scope)
    yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
  })
)

export const endsAllOrNothing = law(
  "ends a grant with its receipt or not at all: if the receipt cannot be stored, the grant stays in force",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const taken = yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })
    const { grant } = yield* ConsentAttempt.given(scope, consumer)
    const before = yield* traceOf(scope)
    const attempt = ConsentAttempt.end(grant.id, ConsentAttempt.revoke, {
      change: (plan) => ({ ...plan, receipt: { ...plan.receipt, id: taken.receipt.id } })
    })
    yield* expectFailure("a revocation whose receipt's id is taken", attempt)
    assertEquals(yield* traceOf(scope), before)
    yield* ConsentAttempt.revoked(grant)
  })
)

export const requestsAllOrNothing = law(
  "stores all of a request or nothing: if its id or its link is taken, its key stays free",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const taken = yield* ConsentAttempt.asked(scope, consumer)
    const key = Fresh.idempotencyKey()
    const before = yield* traceOf(scope)
    const sameId = ConsentAttempt.ask(scope, consumer, {
      key,
      purpose: "another one",
      change: (plan) => ({ ...plan, request: { ...plan.request, id: taken.request.id } })
    })
    yield* expectFailure("a request whose id is taken", sameId)
    const sameLink = ConsentAttempt.ask(scope, consumer, {
      key,
      purpose: "another one",
      change: (plan) => ({
        ...plan,
        link: plan.link && taken.link && { ...plan.link, tokenHash: taken.link.tokenHash }
      })
    })
    yield* expectFailure("a request whose token is taken", sameLink)
    assertEquals(yield* traceOf(scope), before)
    yield* ConsentAttempt.askedAnew(scope, consumer, { key })
  })
)

export const laws = [approvesAllOrNothing, endsAllOrNothing, requestsAllOrNothing]
