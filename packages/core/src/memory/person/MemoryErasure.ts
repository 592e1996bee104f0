import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { Grant } from "../../consent/grant/Grant.js"
import type { ConsentTokenHash } from "../../consent/link/ConsentToken.js"
import type { Receipt } from "../../consent/receipt/Receipt.js"
import * as ReceiptChain from "../../consent/receipt/ReceiptChain.js"
import type { DeliverySignal } from "../../event/DeliverySignal.js"
import type { GrantId, RightsRequestId, UserId } from "../../Ids.js"
import { erasedVerification } from "../../kyc/verification/erasedVerification.js"
import { type AccountPart, accountPartText } from "../../ledger/Account.js"
import type { ErasurePlan } from "../../person/decideErasure.js"
import type { RightsRequest } from "../../person/RightsRequest.js"
import { chainEndOf } from "../consent/MemoryConsentCommit.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { forgetPerson } from "../host/MemoryHostRequestStore.js"
import { environmentKey, type MemoryState, type StoredVerification, scopedKey } from "../MemoryState.js"
import { isTheirs, type Owned, openVerificationsOf, pendingRefundsOf, reportsChangeOf } from "./recordsOfPerson.js"

type State = MemoryState["Service"]

const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && new Set([...one, ...other]).size === one.length

/**
 * Returns true if the person still exists, no refund to them is pending, and the plan covers exactly their active
 * grants, pending requests and open verifications.
 */
const stands = (state: State, { cancelled, ends, expired, person, verifications }: ErasurePlan): boolean => {
  const theirs = isTheirs(person)
  const active = [...state.grants.values()].filter((grant) => grant.status === "ACTIVE" && theirs(grant))
  const pending = [...state.dataRequests.values()].filter(
    ({ request }) => request.status === "PENDING" && theirs(request)
  )
  return (
    state.consumers.has(environmentKey(person.environment, person.userId)) &&
    pendingRefundsOf(state, person) === 0 &&
    isSame(
      active.map(({ id }) => id),
      ends.map(({ grant }) => grant.id)
    ) &&
    isSame(
      pending.map(({ request }) => request.id),
      [...cancelled, ...expired.map(({ request }) => request)].map(({ id }) => id)
    ) &&
    isSame(
      openVerificationsOf(state, person).map(({ id }) => id),
      verifications.map(({ verification }) => verification.id)
    )
  )
}

const removeWhere = <K, V>(records: Map<K, V>, where: (record: V) => boolean): void => {
  for (const [key, record] of records) if (where(record)) records.delete(key)
}

const changeWhere = <K, V>(records: Map<K, V>, where: (record: V) => boolean, change: (record: V) => V): void => {
  for (const [key, record] of records) if (where(record)) records.set(key, change(record))
}

const forgetLinks = (state: State, { codeName, person }: ErasurePlan): void => {
  const theirs = isTheirs(person)
  const names = new Set<ConsentTokenHash | undefined>([
    codeName,
    ...[...state.dataRequests.values()].filter(({ request }) => theirs(request)).map(({ link }) => link?.tokenHash),
    ...[...state.managementLinks.values()].filter(theirs).map(({ tokenHash }) => tokenHash)
  ])
  for (const name of state.codeChallenges.keys()) if (names.has(name)) state.codeChallenges.delete(name)
  removeWhere(state.managementLinks, theirs)
  removeWhere(state.consumerLinks, theirs)
  removeWhere(state.askingBlocks, theirs)
  changeWhere(
    state.dataRequests,
    ({ request }) => theirs(request),
    (stored) => {
      const { returnUrl: _, state: __, ...request } = stored.request
      return { ...stored, request, link: undefined, notifyAt: undefined }
    }
  )
}

const withoutPerson = (stored: StoredVerification, plan: ErasurePlan): StoredVerification => ({
  ...stored,
  verification: erasedVerification(stored.verification, plan.pseudonym, plan.erasedAt),
  kept: undefined,
  dueAt: undefined,
  leasedUntil: undefined,
  fence: stored.fence + 1
})

const namedIn = (userId: UserId): string => `"userId":${JSON.stringify(userId)}`

const namelessBody = (body: string, { person, pseudonym }: ErasurePlan): string =>
  body
    .replaceAll(namedIn(person.userId), () => namedIn(pseudonym))
    .replace(/"providerReference":"(?:[^"\\]|\\.)*"/gu, '"providerReference":""')

/**
 * Pseudonymises events that contain the person's user id, if the person's records caused them or the platform's feed
 * holds them. These records are payments, refunds, grants, data requests and verifications. Deletes the bodies of
 * endpoints' responses to all events that these records or changes of the person's details caused.
 */
const forgetReceiversAnswers = (state: State, plan: ErasurePlan): void => {
  const theirs = isTheirs(plan.person)
  const causes = new Set<string>([
    ...[...state.payments.values()].filter(theirs).map(({ id }) => id),
    ...[...state.refunds.values()].filter(({ refund }) => theirs(refund)).map(({ refund }) => refund.id),
    ...[...state.grants.values()].filter(theirs).map(({ id }) => id),
    ...[...state.dataRequests.values()].filter(({ request }) => theirs(request)).map(({ request }) => request.id),
    ...[...state.verifications.values()]
      .filter(({ verification }) => theirs(verification))
      .map(({ verification }) => verification.id)
  ])
  const named = namedIn(plan.person.userId)
  changeWhere(
    state.events,
    ({ cause, event }) => causes.has(cause) && event.body.includes(named),
    ({ cause, event }) => ({ cause, event: { ...event, body: namelessBody(event.body, plan) } })
  )
  for (const [key, stream] of state.platformFeed.streams ?? []) {
    const unsent = stream.unsent.map((event) =>
      event.environment === plan.person.environment && event.body.includes(named)
        ? { ...event, body: namelessBody(event.body, plan) }
        : event
    )
    state.platformFeed.streams?.set(key, { ...stream, unsent })
  }
  const isChange = reportsChangeOf(plan.person)
  const events = new Set(
    [...state.events.values()]
      .filter((stored) => causes.has(stored.cause) || isChange(stored))
      .map(({ event }) => event.id)
  )
  changeWhere(
    state.deliveries,
    ({ delivery }) => events.has(delivery.eventId),
    (stored) => ({ ...stored, attempts: stored.attempts.map(({ responseBody: _, ...attempt }) => attempt) })
  )
}

const pseudonymise = (state: State, plan: ErasurePlan): void => {
  const theirs = isTheirs(plan.person)
  const { pseudonym } = plan
  const renamed = <A extends Owned>(record: A): A => ({ ...record, userId: pseudonym })
  changeWhere(state.receipts, theirs, renamed)
  changeWhere(state.identityReads, theirs, renamed)
  changeWhere(state.kycEvidence, theirs, renamed)
  changeWhere(state.payments, theirs, renamed)
  changeWhere<GrantId, Grant>(state.grants, theirs, ({ revocationReason: _, ...grant }) => renamed(grant))
  changeWhere(
    state.refunds,
    ({ refund }) => theirs(refund),
    (stored) => ({ ...stored, refund: renamed(stored.refund) })
  )
  changeWhere(
    state.dataRequests,
    ({ request }) => theirs(request),
    (stored) => ({ ...stored, request: renamed(stored.request) })
  )
  changeWhere<RightsRequestId, RightsRequest>(state.rightsRequests, theirs, ({ note: _, ...request }) => {
    const closed = { status: request.kind === "ERASE" ? "DONE" : "REFUSED", closedAt: plan.erasedAt } as const
    return renamed(request.status === "OPEN" ? { ...request, ...closed } : request)
  })
  forgetPerson(state, plan)
  changeWhere(
    state.operatorTransfers,
    ({ posted: { environment, userId } }) => environment === plan.person.environment && userId === plan.person.userId,
    (stored) => ({ ...stored, posted: { ...stored.posted, userId: pseudonym } })
  )
  const isWallet = ({ environment, kind, owner }: AccountPart): boolean =>
    kind === "WALLET" && environment === plan.person.environment && owner === plan.person.userId
  const owned = (key: AccountPart): AccountPart => (isWallet(key) ? { ...key, owner: pseudonym } : key)
  for (const [text, account] of [...state.accounts]) {
    if (!isWallet(account.key)) continue
    const key = owned(account.key)
    state.accounts.delete(text)
    state.accounts.set(accountPartText(key), { ...account, key })
  }
  changeWhere(
    state.transfers,
    ({ credit, debit }) => isWallet(credit) || isWallet(debit),
    (transfer) => ({ ...transfer, credit: owned(transfer.credit), debit: owned(transfer.debit) })
  )
}

/** Stores the plan. Returns the number of deliveries created for its events. */
const write = (state: State, plan: ErasurePlan, receipts: ReadonlyArray<Receipt>): number => {
  const { cancelled, ends, erasedAt, expired, person, pseudonym, verifications } = plan
  const { environment, serviceId, userId } = person
  const told = [
    ...ends.map(({ event, grant }) => ({ event, cause: grant.id })),
    ...expired.map(({ event, request }) => ({ event, cause: request.id })),
    ...verifications.map(({ event, verification }) => ({ event, cause: verification.id }))
  ]
  for (const { event } of told) checkEvent(state, event)
  const deliveries = told.reduce((count, { cause, event }) => count + append(state, event, cause), 0)
  for (const { grant } of ends) state.grants.set(grant.id, grant)
  for (const receipt of receipts) {
    state.receipts.set(receipt.id, receipt)
    state.receiptChains.set(scopedKey(receipt, ""), ReceiptChain.headAt(receipt))
  }
  for (const request of [...cancelled, ...expired.map(({ request }) => request)]) {
    const stored = state.dataRequests.get(request.id)
    if (stored !== undefined) state.dataRequests.set(request.id, { ...stored, request })
  }
  forgetLinks(state, plan)
  forgetReceiversAnswers(state, plan)
  for (const [id, stored] of state.verifications) {
    if (!isTheirs(person)(stored.verification)) continue
    if (stored.kept !== undefined) {
      state.verificationsByKey.delete(scopedKey(stored.verification, stored.kept.idempotencyKey))
    }
    state.verifications.set(id, withoutPerson(stored, plan))
  }
  pseudonymise(state, plan)
  const key = environmentKey(environment, userId)
  state.consumers.delete(key)
  state.restrictions.delete(key)
  state.consumersByServiceId.set(environmentKey(environment, serviceId), environmentKey(environment, pseudonym))
  state.erasedPeople.set(environmentKey(environment, serviceId), {
    environment,
    userId: pseudonym,
    serviceId,
    erasedAt
  })
  return deliveries
}

/**
 * Hashes the plan's receipts as the next links of their chains. Hashing may be asynchronous, so a chain may grow in the
 * meantime.
 */
const hashed = (state: State, { ends, expired }: ErasurePlan) =>
  Effect.gen(function* () {
    const heads = new Map<string, ReceiptChain.ChainHead>()
    const receipts: Array<Receipt> = []
    for (const { receipt: draft } of [...ends, ...expired]) {
      const chain = scopedKey(draft, "")
      const receipt = yield* ReceiptChain.append(heads.get(chain) ?? chainEndOf(state, draft), draft)
      heads.set(chain, ReceiptChain.headAt(receipt))
      receipts.push(receipt)
    }
    return receipts
  })

/** Returns true if none of the receipts' chains has grown since the receipts were hashed. */
const follow = (state: State, receipts: ReadonlyArray<Receipt>): boolean => {
  const seen = new Set<string>()
  return receipts.every((receipt) => {
    const chain = scopedKey(receipt, "")
    const isFirst = !seen.has(chain)
    seen.add(chain)
    return !isFirst || receipt.previousHash === chainEndOf(state, receipt).hash
  })
}

/**
 * Implements `PersonStore.erase`. Hashes the receipts, then checks the plan again and writes it in one step. Hashes
 * again if a chain has grown in the meantime.
 */
export const erase = (
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"],
  plan: ErasurePlan
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    while (stands(state, plan)) {
      const receipts = yield* Effect.provideService(hashed(state, plan), Digest.Digest, digest)
      if (!stands(state, plan)) return false
      if (!follow(state, receipts)) continue
      yield* notifyOf(signal, write(state, plan, receipts))
      return true
    }
    return false
  })
