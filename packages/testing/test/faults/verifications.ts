import { ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { VerificationDecision, VerificationPlan } from "@surety/core/kyc/verification/decideVerification"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { isOf, type StoredVerification, scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as Audit from "@surety/testing/consent/ConsentAuditLaws"
import * as Begin from "@surety/testing/kyc/KycBeginLaws"
import * as Grants from "@surety/testing/kyc/KycGrantLaws"
import * as Receipts from "@surety/testing/kyc/KycReceiptLaws"
import * as Scopes from "@surety/testing/kyc/KycScopeLaws"
import * as Logs from "@surety/testing/kyc/VerificationLogLaws"
import { Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  countingPages,
  deciding,
  edit,
  faultsOf,
  instead,
  leaving,
  lookingFirst,
  type Row,
  type State,
  seeing
} from "./Fault.js"

type Store = KycStore["Service"]
type Decision = Effect.Success<ReturnType<Store["begin"]>>

const fault = faultsOf(KycStore)

const afterPlan = (row: Row<Store["begin"]>, change: (state: State, plan: VerificationPlan) => unknown): Broken =>
  after(row, (state, decision) => (decision._tag === "Execute" ? change(state, decision.plan) : undefined))

const storing = (row: Row<Store["begin"]>, change: (stored: StoredVerification) => StoredVerification): Broken =>
  afterPlan(row, (state, { verification }) => edit(state.verifications, verification.id, change))

const beginnings: ReadonlyArray<Broken> = [
  afterPlan(
    fault("begin", "forgets the key", Begin.commitsBeginning, Begin.oneVerificationPerKey, Begin.oneRequestPerKey),
    (state, { idempotencyKey, verification }) =>
      state.verificationsByKey.delete(scopedKey(verification, idempotencyKey))
  ),
  storing(
    fault("begin", "forgets the tier", Begin.keepsEveryValue),
    ({ verification: { tier: _, ...verification }, ...rest }) => ({
      ...rest,
      verification
    })
  ),
  storing(fault("begin", "stores an ended verification as open", Begin.endedAtOnce), (stored) => ({
    ...stored,
    verification: { ...stored.verification, status: "PENDING" },
    dueAt: stored.verification.createdAt
  })),
  afterPlan(
    fault("begin", "begins without a receipt", Receipts.beginsWithReceipt, Audit.verificationsAreReceipted),
    (state, { receipt }) => state.receipts.delete(receipt.id)
  ),
  deciding(
    fault("begin", "appends the receipt before the verification is stored", Receipts.failedBeginningsLeaveNoGap),
    (decision: Decision, state) => {
      if (decision._tag !== "Execute") return decision
      const key = scopedKey(decision.plan.receipt, "")
      const sequence = (state.receiptChains.get(key)?.sequence ?? 0) + 1
      state.receiptChains.set(key, { sequence, hash: ReceiptHash.make("1".repeat(64)) })
      return decision
    }
  ),
  seeing(fault("begin", "sees another merchant's purpose", Begin.snapshotsPersons), (snapshot) => ({
    ...snapshot,
    ownPurpose: "anything"
  })),
  seeing(
    fault("begin", "takes every consumer for linked", Begin.snapshotsPersons, Begin.refusalLeavesKeyFree),
    (snapshot) => ({
      ...snapshot,
      byUserId: snapshot.byUserId && { ...snapshot.byUserId, isLinked: true },
      byServiceId: snapshot.byServiceId && { ...snapshot.byServiceId, isLinked: true }
    })
  ),
  lookingFirst(
    fault("begin", "checks the key before the commit", Begin.oneVerificationPerKey, Begin.oneRequestPerKey),
    (state, [{ idempotencyKey, scope }]) => state.verificationsByKey.get(scopedKey(scope, idempotencyKey)),
    (id, begin, [lookup, decide], state) =>
      begin(lookup, (snapshot) => {
        if (id !== undefined) return decide(snapshot)
        state.verificationsByKey.delete(scopedKey(lookup.scope, lookup.idempotencyKey))
        return decide({ ...snapshot, prior: undefined })
      })
  ),
  leaving(
    fault("begin", "keeps the key of what it could not store", Begin.beginsAllOrNothing),
    (state, [{ idempotencyKey, scope }]) => {
      const [id] = state.verifications.keys()
      if (id !== undefined) state.verificationsByKey.set(scopedKey(scope, idempotencyKey), id)
    }
  ),
  seeing(
    fault("begin", "has one set of keys for all", Scopes.strangersSeeNothing, Scopes.strangersShareKeys),
    (snapshot, state, { idempotencyKey }) => {
      const found = [...state.verifications.values()].find(({ kept }) => kept?.idempotencyKey === idempotencyKey)
      if (found?.kept === undefined) return snapshot
      const { answer, fingerprint } = found.kept
      return { ...snapshot, prior: { verificationId: found.verification.id, fingerprint, answer } }
    }
  )
]

/** Builds a faulty `find` that returns any matching verification if the sound operation finds none. */
const findingAlso = (
  how: string,
  matches: (verification: Verification, reference: string, scope: MerchantScope) => boolean,
  caughtBy: Broken["caughtBy"]
): Broken =>
  answering(fault("find", how, ...caughtBy), (found, state, [scope, reference]) =>
    Option.orElse(found, () =>
      Option.fromUndefinedOr(
        [...state.verifications.values()]
          .map(({ verification }) => verification)
          .find((verification) => matches(verification, reference, scope))
      )
    )
  )

const findings: ReadonlyArray<Broken> = [
  findingAlso(
    "finds verifications of other merchants and environments",
    ({ id, providerReference }, reference) => id === reference || providerReference === reference,
    [Scopes.strangersSeeNothing, Scopes.hidesUnlinked]
  ),
  findingAlso(
    "finds verifications of unlinked consumers",
    (verification, reference, scope) => verification.id === reference && isOf(scope, verification),
    [Scopes.hidesUnlinked]
  ),
  findingAlso(
    "finds by a prefix of the provider's reference",
    ({ providerReference }, reference) => reference !== "" && providerReference?.startsWith(reference) === true,
    [Scopes.newestOfProvidersReference]
  ),
  answering(
    fault(
      "find",
      "finds the oldest of the provider's reference",
      Scopes.newestOfProvidersReference,
      Scopes.ourReferenceFirst
    ),
    (found, state, [scope, reference]) => {
      const oldest = [...state.verifications.values()]
        .map(({ verification }) => verification)
        .find((one) => one.providerReference === reference && isOf(scope, one))
      return Option.map(found, (newest) => oldest ?? newest)
    }
  )
]

const isLinkedByHost = (state: State, scope: MerchantScope, userId: string): boolean =>
  state.consumerLinks.has(scopedKey(scope, userId))

const ofLog = faultsOf(VerificationLog)

const grants: ReadonlyArray<Broken> = [
  seeing(fault("begin", "ignores grants when it begins", Grants.grantLetsVerify), (snapshot, state, { scope }) => {
    const seen = (person: typeof snapshot.byUserId) =>
      person && { ...person, isLinked: isLinkedByHost(state, scope, person.userId) }
    return { ...snapshot, byServiceId: seen(snapshot.byServiceId), byUserId: seen(snapshot.byUserId) }
  }),
  instead(
    fault("begin", "begins for whom it saw linked, though the link has ended", Grants.endedLinkWins),
    (begin) => (lookup, decide) =>
      Effect.suspend(() => {
        let first: VerificationDecision | undefined
        return begin(lookup, (snapshot) => (first ??= decide(snapshot)))
      })
  ),
  answering(fault("find", "ignores grants when it finds", Grants.grantLetsVerify), (found, state, [scope]) =>
    Option.filter(found, ({ userId }) => isLinkedByHost(state, scope, userId))
  ),
  answering(
    ofLog("list", "ignores grants when it lists", Logs.grantedIsListed),
    ({ data, nextCursor }, state, [scope]) => ({
      data: data.filter(({ userId }) => isLinkedByHost(state, scope, userId)),
      nextCursor
    })
  )
]

const lists: ReadonlyArray<Broken> = [
  instead(
    ofLog("list", "counts rows for a cursor", Logs.listsNewestFirst),
    (list) => (scope, page) => countingPages((all) => list(scope, all))(page)
  ),
  answering(
    ofLog("list", "lists the oldest of a page first", Logs.listsNewestFirst, Logs.ordersOneMoment),
    ({ data, nextCursor }) => ({
      data: data.toReversed(),
      nextCursor
    })
  ),
  answering(ofLog("list", "lists verifications as they began", Logs.showsWhatBecame), ({ data, nextCursor }) => ({
    data: data.map((verification) => ({ ...verification, status: "PENDING" as const })),
    nextCursor
  })),
  instead(
    ofLog("list", "lists every merchant's", Logs.strangersListNothing),
    (_, __, { listAll }) =>
      ({ environment }, page) =>
        listAll({ environment, merchantId: undefined }, page)
  ),
  asking(
    ofLog("listAll", "lists the other environment's to the operator", Logs.strangersListNothing),
    ([{ environment, merchantId }, page]) => [
      { environment: environment === "TEST" ? ("LIVE" as const) : ("TEST" as const), merchantId },
      page
    ]
  ),
  instead(
    ofLog("list", "lists unlinked consumers", Logs.unlinkedIsOperators),
    (_, __, { listAll }) =>
      (scope, page) =>
        listAll(scope, page)
  ),
  instead(
    ofLog("listAll", "hides unlinked consumers from the operator", Logs.unlinkedIsOperators),
    (listAll, _, { list }) =>
      ({ environment, merchantId }, page) =>
        merchantId === undefined ? listAll({ environment, merchantId }, page) : list({ environment, merchantId }, page)
  ),
  asking(ofLog("list", "starts again at a foreign cursor", Logs.foreignCursor), ([scope, { limit }]) => [
    scope,
    { limit, cursor: undefined }
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [...beginnings, ...findings, ...grants, ...lists]
