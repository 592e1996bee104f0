import { Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import { isBounded } from "../../consent/asking/AskLimits.js"
import {
  ConsentStore,
  type ConsentTarget,
  type DataRequestLookup,
  type PersonLookup
} from "../../consent/ConsentStore.js"
import { purposeOf } from "../../consent/grant/ConsentPolicy.js"
import type {
  GrantDecision,
  GrantEndDecision,
  GrantEndSnapshot,
  GrantSnapshot
} from "../../consent/grant/decideGrant.js"
import type { Grant } from "../../consent/grant/Grant.js"
import type { ConsentLink } from "../../consent/link/ConsentToken.js"
import type { DataRequest } from "../../consent/request/DataRequest.js"
import type { ConsentDecision, ConsentPlan, ConsentSnapshot } from "../../consent/request/decideConsent.js"
import {
  type DataRequestDecision,
  type DataRequestPlan,
  type DataRequestSnapshot,
  leadingTo,
  type PriorDataRequest,
  type RepeatPlan
} from "../../consent/request/decideDataRequest.js"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { DataRequestId, GrantId } from "../../Ids.js"
import { requireThat } from "../ConstraintViolated.js"
import { environmentKey, isOf, MemoryState, scopedKey } from "../MemoryState.js"
import { controllerIn, ownPurposeIn, returnUrlsIn, statusIn } from "../merchant/MemoryMerchantStore.js"
import { blockIn, blockOn, historyOf, keepBlock, liftBlock, openIn, questionsOf } from "./MemoryAsking.js"
import { type CommitAttempt, commit } from "./MemoryConsentCommit.js"
import { attemptRead, consumerWith, grantsOf, isRestricted, userOf } from "./MemoryIdentityReads.js"
import { keepLink } from "./MemoryManagementLinkStore.js"

type State = MemoryState["Service"]

export const requestOf = (state: State, { id, scope }: ConsentTarget<DataRequestId>): DataRequest | undefined => {
  const request = state.dataRequests.get(id)?.request
  return request !== undefined && (scope === undefined || isOf(scope, request)) ? request : undefined
}

export const grantOf = (state: State, { id, scope }: ConsentTarget<GrantId>): Grant | undefined => {
  const grant = state.grants.get(id)
  return grant !== undefined && (scope === undefined || isOf(scope, grant)) ? grant : undefined
}

const priorOf = (state: State, { idempotencyKey, scope }: DataRequestLookup): PriorDataRequest | undefined => {
  const key = state.dataRequestsByKey.get(scopedKey(scope, idempotencyKey))
  const stored = key && state.dataRequests.get(key.requestId)
  return (
    key &&
    stored?.kept && {
      requestId: stored.request.id,
      fingerprint: key.fingerprint,
      answer: stored.kept.answer,
      sealedUrl: stored.link?.sealedUrl
    }
  )
}

const purposeIn = (state: State, lookup: DataRequestLookup): string =>
  purposeOf(lookup.purpose, {
    controller: controllerIn(state, lookup.scope.merchantId),
    ownPurpose: ownPurposeIn(state, lookup.scope.merchantId)
  })

/**
 * Takes the snapshot for a new request. `history` is undefined if the person is unknown or requests to them are not
 * limited.
 */
export const requestSnapshotOf = (state: State, lookup: DataRequestLookup): DataRequestSnapshot => {
  const consumer = consumerWith(state, lookup)
  const questions = consumer && questionsOf(state, lookup, consumer.userId, purposeIn(state, lookup))
  const hasBounds = consumer !== undefined && isBounded(lookup.scope.environment, consumer)
  return {
    prior: priorOf(state, lookup),
    controller: controllerIn(state, lookup.scope.merchantId),
    merchantStatus: statusIn(state, lookup.scope.merchantId),
    ownPurpose: ownPurposeIn(state, lookup.scope.merchantId),
    returnUrls: returnUrlsIn(state, lookup.scope.merchantId),
    userId: consumer?.userId,
    ...(consumer !== undefined && isRestricted(state, consumer) ? { isRestricted: true } : {}),
    grants: grantsOf(state, lookup.scope, consumer?.userId).filter(({ status }) => status === "ACTIVE"),
    open: questions && openIn(questions.same, lookup),
    history: hasBounds && questions !== undefined ? historyOf(state, lookup, consumer.userId, questions) : undefined
  }
}

export const writeRequest = (state: State, plan: DataRequestPlan): void => {
  const { answer, fingerprint, idempotencyKey, link, notifyAt, request } = plan
  state.dataRequests.set(request.id, { request, kept: { answer }, link, notifyAt })
  state.dataRequestsByKey.set(scopedKey(request, idempotencyKey), {
    requestId: request.id,
    fingerprint,
    keptSince: request.createdAt
  })
}

/**
 * Stores another key for a pending request. If the plan has a `returnTo`, replaces the request's return url and state.
 */
export const writeRepeat = (state: State, plan: RepeatPlan): void => {
  const {
    fingerprint,
    idempotencyKey,
    open: { request },
    repeatedAt,
    returnTo
  } = plan
  const stored = state.dataRequests.get(request.id)
  if (stored !== undefined) {
    state.dataRequests.set(request.id, { ...stored, request: leadingTo(stored.request, returnTo) })
  }
  state.dataRequestsByKey.set(scopedKey(request, idempotencyKey), {
    requestId: request.id,
    fingerprint,
    keptSince: repeatedAt
  })
}

const isTaken = (state: State, { tokenHash }: ConsentLink): boolean =>
  [...state.dataRequests.values()].some(({ link }) => link?.tokenHash === tokenHash)

const requesting = (
  state: State,
  lookup: DataRequestLookup,
  decide: (snapshot: DataRequestSnapshot) => DataRequestDecision
): CommitAttempt<DataRequestDecision> => {
  const decision = decide(requestSnapshotOf(state, lookup))
  if (decision._tag === "Repeat") {
    const { idempotencyKey, open } = decision.plan
    const check = () =>
      requireThat(
        !state.dataRequestsByKey.has(scopedKey(open.request, idempotencyKey)),
        "the key is free",
        open.request.id
      )
    return {
      decision,
      changes: { receipt: undefined, events: [], check, write: () => writeRepeat(state, decision.plan) }
    }
  }
  if (decision._tag !== "Execute") return { decision, changes: undefined }
  const { idempotencyKey, link, request } = decision.plan
  const check = () => {
    requireThat(!state.dataRequests.has(request.id), "a data request's id is new", request.id)
    requireThat(link === undefined || !isTaken(state, link), "a consent link's token is new", request.id)
    requireThat(!state.dataRequestsByKey.has(scopedKey(request, idempotencyKey)), "the key is free", request.id)
  }
  return {
    decision,
    changes: { receipt: undefined, events: [], check, write: () => writeRequest(state, decision.plan) }
  }
}

const checkGrant = (state: State, { id }: Grant): void => requireThat(!state.grants.has(id), "a grant's id is new", id)

/** Stores a decided request, with its grant, asking block and management link, if any. Cancels its notifications. */
export const writeConsent = (state: State, { block, grant, managementLink, request }: ConsentPlan): void => {
  const stored = state.dataRequests.get(request.id)
  if (stored !== undefined) state.dataRequests.set(request.id, { ...stored, request, notifyAt: undefined })
  if (grant !== undefined) state.grants.set(grant.id, grant)
  if (block !== undefined) keepBlock(state, block)
  if (managementLink !== undefined) keepLink(state, managementLink)
}

const deciding = (
  state: State,
  target: ConsentTarget<DataRequestId>,
  decide: (snapshot: ConsentSnapshot) => ConsentDecision
): CommitAttempt<Option.Option<ConsentDecision>> => {
  const stored = requestOf(state, target)
  if (stored === undefined) return { decision: Option.none(), changes: undefined }
  const decision = decide({
    request: stored,
    controller: controllerIn(state, stored.merchantId),
    merchantStatus: statusIn(state, stored.merchantId),
    blockedAs: blockOn(state, stored)
  })
  if (decision._tag !== "Execute") return { decision: Option.some(decision), changes: undefined }
  const { events, grant, platformEvents, receipt, request } = decision.plan
  const check = () => {
    requireThat(request.id === stored.id && stored.status === "PENDING", "the request is pending", request.id)
    if (grant !== undefined) checkGrant(state, grant)
  }
  return {
    decision: Option.some(decision),
    changes: {
      receipt,
      events: [...events, ...platformEvents].map((event) => ({
        event,
        cause: event.topic === "merchant.identity.consent_granted" && grant !== undefined ? grant.id : request.id
      })),
      check,
      write: () => writeConsent(state, decision.plan)
    }
  }
}

const granting = (
  state: State,
  lookup: PersonLookup,
  decide: (snapshot: GrantSnapshot) => GrantDecision
): CommitAttempt<GrantDecision> => {
  const userId = userOf(state, lookup)
  const decision = decide({
    controller: controllerIn(state, lookup.scope.merchantId),
    merchantStatus: statusIn(state, lookup.scope.merchantId),
    ownPurpose: ownPurposeIn(state, lookup.scope.merchantId),
    userId,
    blockedAs: userId && blockIn(state, lookup.scope, userId)
  })
  if (decision._tag !== "Execute") return { decision, changes: undefined }
  const { event, grant, receipt } = decision.plan
  return {
    decision,
    changes: {
      receipt,
      events: [{ event, cause: grant.id }],
      check: () => checkGrant(state, grant),
      write: () => state.grants.set(grant.id, grant)
    }
  }
}

const ending = (
  state: State,
  target: ConsentTarget<GrantId>,
  decide: (snapshot: GrantEndSnapshot) => GrantEndDecision
): CommitAttempt<Option.Option<GrantEndDecision>> => {
  const stored = grantOf(state, target)
  if (stored === undefined) return { decision: Option.none(), changes: undefined }
  const decision = decide({ grant: stored, controller: controllerIn(state, stored.merchantId) })
  if (decision._tag !== "Execute") return { decision: Option.some(decision), changes: undefined }
  const { event, grant, receipt } = decision.plan
  const check = () => requireThat(grant.id === stored.id && stored.status === "ACTIVE", "the grant is active", grant.id)
  return {
    decision: Option.some(decision),
    changes: { receipt, events: [{ event, cause: grant.id }], check, write: () => state.grants.set(grant.id, grant) }
  }
}

export const make = (
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"]
): ConsentStore["Service"] =>
  ConsentStore.of({
    request: (lookup, decide) => commit(state, digest, signal, () => requesting(state, lookup, decide)),
    decide: (target, decide) => commit(state, digest, signal, () => deciding(state, target, decide)),
    grant: (lookup, decide) => commit(state, digest, signal, () => granting(state, lookup, decide)),
    end: (target, decide) => commit(state, digest, signal, () => ending(state, target, decide)),
    block: (block) =>
      Effect.sync(() => {
        if (state.consumers.has(environmentKey(block.environment, block.userId))) keepBlock(state, block)
      }),
    liftBlock: (...lifted) => Effect.sync(() => liftBlock(state, ...lifted)),
    read: (lookup, decide) => commit(state, digest, signal, () => attemptRead(state, lookup, decide))
  })

export const layer: Layer.Layer<ConsentStore, never, MemoryState | DeliverySignal | Digest.Digest> = Layer.effect(
  ConsentStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* Digest.Digest, yield* DeliverySignal)
  })
)
