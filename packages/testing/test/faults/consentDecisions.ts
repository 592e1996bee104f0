import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { isInForce } from "@surety/core/consent/grant/Grant"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { blockOn } from "@surety/core/memory/consent/MemoryAsking"
import { chainEndOf } from "@surety/core/memory/consent/MemoryConsentCommit"
import { grantOf, requestOf, writeConsent } from "@surety/core/memory/consent/MemoryConsentStore"
import { readSnapshotOf } from "@surety/core/memory/consent/MemoryIdentityReads"
import { append, makeDue } from "@surety/core/memory/event/MemoryOutbox"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import { controllerIn, statusIn } from "@surety/core/memory/merchant/MemoryMerchantStore"
import * as Atomicity from "@surety/testing/consent/ConsentAtomicityLaws"
import * as Audit from "@surety/testing/consent/ConsentAuditLaws"
import * as Chain from "@surety/testing/consent/ConsentChainLaws"
import * as Decisions from "@surety/testing/consent/ConsentDecisionLaws"
import * as Grants from "@surety/testing/consent/ConsentGrantLaws"
import * as Reads from "@surety/testing/consent/ConsentReadLaws"
import * as Scopes from "@surety/testing/consent/ConsentScopeLaws"
import { DateTime, Effect, Option } from "effect"
import { Digest } from "effect/crypto"
import {
  after,
  asking,
  type Broken,
  before,
  edit,
  faultsOf,
  instead,
  leaving,
  lookingFirst,
  type Row,
  type State,
  seeing
} from "./Fault.js"

type Store = ConsentStore["Service"]
type Decided = Effect.Success<ReturnType<Store["decide"]>>
type Target = Parameters<Store["decide"]>[0]

const fault = faultsOf(ConsentStore)
const ofConsumers = faultsOf(ConsumerStore)

/**
 * Decides from a request that may be wrong or stale. Stores the outcome without any check, receipt or platform event.
 */
const decideUnchecked = (
  state: State,
  decide: Parameters<Store["decide"]>[1],
  request: ReturnType<typeof requestOf>
): ReturnType<Store["decide"]> =>
  Effect.sync(() => {
    if (request === undefined) return Option.none()
    const decision = decide({
      request,
      controller: controllerIn(state, request.merchantId),
      merchantStatus: statusIn(state, request.merchantId),
      blockedAs: blockOn(state, request)
    })
    if (decision._tag === "Execute") {
      writeConsent(state, decision.plan)
      for (const event of decision.plan.events) append(state, event, request.id)
    }
    return Option.some(decision)
  })

const afterDecision = (
  row: Row<Store["decide"]>,
  change: (state: State, target: Target, plan: DecidedPlan) => unknown
): Broken =>
  after(row, (state, decision, [target]) => {
    if (Option.isSome(decision) && decision.value._tag === "Execute") change(state, target, decision.value.plan)
  })

type DecidedPlan = Extract<Option.Option.Value<Decided>, { readonly _tag: "Execute" }>["plan"]

const decisions: ReadonlyArray<Broken> = [
  afterDecision(
    fault(
      "decide",
      "forgets the last event",
      Decisions.commitsApproval,
      Decisions.commitsOthers,
      Decisions.oneDecisionWins
    ),
    (state, _, { events }) => {
      const last = events.at(-1)
      if (last !== undefined) state.events.delete(last.id)
    }
  ),
  afterDecision(fault("decide", "sends events to every endpoint", Decisions.tellsEndpoints), (state, _, { events }) => {
    for (const event of events) {
      for (const endpoint of state.endpoints.values()) makeDue(state, event, endpoint, event.occurredAt)
    }
  }),
  instead(
    fault("decide", "takes every request for pending", Decisions.firstDecisionStands),
    (_, state) => (target, decide) =>
      Effect.suspend(() => {
        const request = requestOf(state, target)
        return decideUnchecked(state, decide, request && { ...request, status: "PENDING" })
      })
  ),
  lookingFirst(
    fault("decide", "checks that a request is pending before the commit", Decisions.oneDecisionWins),
    (state, [target]) => requestOf(state, target),
    (request, _, [, decide], state) => decideUnchecked(state, decide, request)
  ),
  instead(
    fault("decide", "takes a missing request for a valid one", Decisions.noSuchRequest),
    (verb) => (target, decide) =>
      Effect.map(verb(target, decide), (decision) =>
        Option.orElseSome(decision, () => ({ _tag: "Invalid", faults: [] }))
      )
  ),
  leaving(
    fault(
      "decide",
      "approves a request although its grant or receipt could not be stored",
      Atomicity.approvesAllOrNothing
    ),
    (state, [{ id }]) =>
      edit(state.dataRequests, id, (stored) => ({
        ...stored,
        request: { ...stored.request, status: "APPROVED" as const }
      }))
  ),
  asking(
    fault("decide", "lets every merchant decide every request", Scopes.strangersChangeNothing),
    ([target, decide]) => [{ ...target, scope: undefined }, decide]
  ),
  asking(fault("decide", "makes no management link", Decisions.makesManagementLink), ([target, decide]) => [
    target,
    (snapshot) => {
      const decision = decide(snapshot)
      return decision._tag === "Execute"
        ? { ...decision, plan: { ...decision.plan, managementLink: undefined } }
        : decision
    }
  ]),
  instead(
    fault("decide", "trusts the snapshot that the caller read", Decisions.seesStaleSnapshot),
    (verb, state) => (target, decide, loaded) =>
      loaded === undefined ? verb(target, decide) : decideUnchecked(state, decide, loaded.request)
  )
]

const grants: ReadonlyArray<Broken> = [
  after(
    fault("grant", "forgets a grant's event", Grants.commitsGrant),
    (state, decision) => decision._tag === "Execute" && state.events.delete(decision.plan.event.id)
  ),
  seeing(
    fault("grant", "finds consumers of the other environment", Grants.refusesStranger),
    (snapshot, state, { serviceId }) => ({
      ...snapshot,
      userId: [...state.consumers.values()].find((consumer) => consumer.serviceId === serviceId)?.userId
    })
  ),
  instead(
    fault("end", "ends grants that have ended", Grants.commitsEnd),
    (_, state) => (target, decide) =>
      Effect.sync(() => endUnchecked(state, decide, grantOf(state, target), { status: "ACTIVE" }))
  ),
  lookingFirst(
    fault("end", "checks that a grant is active before the commit", Grants.oneEndWins),
    (state, [target]) => grantOf(state, target),
    (grant, _, [, decide], state) => Effect.sync(() => endUnchecked(state, decide, grant, {}))
  ),
  leaving(
    fault("end", "ends a grant although its receipt could not be stored", Atomicity.endsAllOrNothing),
    (state, [{ id }]) => edit(state.grants, id, (grant) => ({ ...grant, status: "REVOKED" as const }))
  ),
  instead(
    ofConsumers("isLinked", "ignores grants as links", Grants.linksWhileItLasts),
    (_, state) => (merchantId, environment, userId) =>
      Effect.sync(() => state.consumerLinks.has(scopedKey({ merchantId, environment }, userId)))
  ),
  instead(
    ofConsumers(
      "isLinked",
      "ends a grant's link by the clock",
      Grants.linksWhileItLasts,
      Grants.linksUntilEndIsRecorded
    ),
    (_, state) => (merchantId, environment, userId) =>
      Effect.map(DateTime.now, (now) =>
        [...state.grants.values()].some(
          (grant) => grant.userId === userId && isOf({ merchantId, environment }, grant) && isInForce(grant, now)
        )
      )
  )
]

/** Ends a grant that may be wrong or stale, without any check, receipt or event. */
const endUnchecked = (
  state: State,
  decide: Parameters<Store["end"]>[1],
  found: ReturnType<typeof grantOf>,
  change: Partial<NonNullable<ReturnType<typeof grantOf>>>
): Effect.Success<ReturnType<Store["end"]>> => {
  if (found === undefined) return Option.none()
  const decision = decide({ grant: { ...found, ...change }, controller: controllerIn(state, found.merchantId) })
  if (decision._tag === "Execute") state.grants.set(found.id, decision.plan.grant)
  return Option.some(decision)
}

const reads: ReadonlyArray<Broken> = [
  seeing(fault("read", "hides ended grants", Reads.snapshotsHistory), (snapshot) => ({
    ...snapshot,
    grants: snapshot.grants.filter(({ status }) => status === "ACTIVE")
  })),
  instead(
    fault("read", "records no read", Reads.recordsReading),
    (_, state) => (lookup, decide) => Effect.sync(() => decide(readSnapshotOf(state, lookup)))
  ),
  instead(fault("read", "caches what may be read", Reads.revocationIsSeen), (read) => {
    const cache = new Map<string, Parameters<Parameters<Store["read"]>[1]>[0]>()
    return (lookup, decide) =>
      read(lookup, (snapshot) => {
        const key = scopedKey(lookup.scope, lookup.serviceId)
        const cached = cache.get(key) ?? snapshot
        cache.set(key, cached)
        return decide(cached)
      })
  })
]

const chains: ReadonlyArray<Broken> = [
  lookingFirst(
    fault("grant", "finds the chain's end before the commit", Chain.losesNoReceipt),
    (state, [lookup]) => ({ end: chainEndOf(state, lookup.scope), userId: readSnapshotOf(state, lookup).userId }),
    ({ end, userId }, _, [{ scope }, decide], state) =>
      Effect.gen(function* () {
        const decision = decide({
          controller: controllerIn(state, scope.merchantId),
          merchantStatus: statusIn(state, scope.merchantId),
          ownPurpose: undefined,
          userId,
          blockedAs: undefined
        })
        if (decision._tag !== "Execute") return decision
        const { grant, receipt: draft } = decision.plan
        const receipt = yield* ReceiptChain.append(end, draft)
        state.receipts.set(receipt.id, receipt)
        state.receiptChains.set(scopedKey(receipt, ""), ReceiptChain.headAt(receipt))
        state.grants.set(grant.id, grant)
        return decision
      }).pipe(Effect.provide(Digest.layerWebCrypto))
  ),
  before(fault("grant", "has one chain for all merchants", Chain.appendsInOrder), (state, [{ scope }]) => {
    const ends = [...state.receiptChains.values()]
    const longest = ends.reduce((a, b) => (b.sequence > a.sequence ? b : a), ReceiptChain.genesis)
    state.receiptChains.set(scopedKey(scope, ""), longest)
  }),
  leaving(
    fault("grant", "uses up a receipt's number when the commit fails", Chain.failuresLeaveNoGap),
    (state, [{ scope }]) => {
      const { hash, sequence } = chainEndOf(state, scope)
      state.receiptChains.set(scopedKey(scope, ""), { hash, sequence: sequence + 1 })
    }
  )
]

const forgetLastReceipt = (state: State): void => {
  const last = [...state.receipts.keys()].at(-1)
  if (last !== undefined) state.receipts.delete(last)
}

const audits: ReadonlyArray<Broken> = [
  ...["APPROVED", "DENIED", "EXPIRED"].map((status) =>
    afterDecision(
      fault("decide", `keeps no receipt of a request that is ${status}`, Audit.consentsAreReceipted),
      (state, { id }) => {
        if (state.dataRequests.get(id)?.request.status === status) forgetLastReceipt(state)
      }
    )
  ),
  after(fault("grant", "keeps no receipt of a grant", Audit.consentsAreReceipted), forgetLastReceipt),
  after(fault("end", "keeps no receipt of a grant's end", Audit.consentsAreReceipted), forgetLastReceipt),
  afterDecision(fault("decide", "loses the grant of an approval", Audit.consentsAreReceipted), (state) => {
    for (const { dataRequestId, id } of state.grants.values()) if (dataRequestId !== undefined) state.grants.delete(id)
  }),
  afterDecision(
    fault("decide", "makes a grant of a request that is not approved", Audit.consentsAreReceipted),
    (state, { id }) =>
      edit(state.dataRequests, id, (stored) => {
        if (stored.request.status !== "APPROVED") return stored
        const { decidedBy: _, ...request } = stored.request
        return { ...stored, request: { ...request, status: "CANCELLED" as const } }
      })
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...decisions, ...grants, ...reads, ...chains, ...audits]
