import { type DateTime, Schema } from "effect"
import type { ConsentActor } from "../consent/ConsentActor.js"
import * as ConsentEvents from "../consent/ConsentEvents.js"
import type { ConsentPolicy } from "../consent/grant/ConsentPolicy.js"
import { decideGrantEnd, type GrantEndPlan } from "../consent/grant/decideGrant.js"
import { isInForce } from "../consent/grant/Grant.js"
import type { ConsentTokenHash } from "../consent/link/ConsentToken.js"
import type { ReceiptDraft } from "../consent/receipt/Receipt.js"
import * as ReceiptDrafts from "../consent/receipt/ReceiptDrafts.js"
import { type DataRequest, dataRequestAsOf, isPending } from "../consent/request/DataRequest.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { EventId, ReceiptId, UserId } from "../Ids.js"
import { endEvent } from "../kyc/verification/endEvent.js"
import { erasedVerification } from "../kyc/verification/erasedVerification.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { ErasureSnapshot, HeldPerson } from "./HeldPerson.js"

/**
 * A refund to the person is pending. The person cannot be erased, because the wallet to be credited identifies them by
 * their user id.
 */
export class RefundsPending extends Schema.TaggedError<RefundsPending>(
  "@surety/core/person/decideErasure/RefundsPending"
)("RefundsPending", { serviceId: ConsumerId, pending: Schema.Int }) {
  override get message(): string {
    return `${this.pending} refunds to this person are pending. Erase the person once they have settled.`
  }
}

/** Ids of the receipt and the event for the end of one record. */
export interface EndIds {
  readonly receiptId: ReceiptId
  readonly eventId: EventId
}

export const endsNeeded = ({ grants, requests, verifications }: ErasureSnapshot): number =>
  grants.length + requests.length + verifications.length

/** Ids and time are generated beforehand, so that the decision is pure. */
export interface ErasureContext {
  readonly now: DateTime.Utc
  readonly actor: ConsentActor
  readonly pseudonym: UserId
  /** As many as `endsNeeded` returns. */
  readonly ends: ReadonlyArray<EndIds>
  readonly policy: ConsentPolicy
  /** Hashed name under which the person's one-time codes are counted. */
  readonly codeName: ConsentTokenHash
}

/** A request that expired before the erasure. */
export interface RequestExpiry {
  readonly request: DataRequest
  readonly receipt: ReceiptDraft
  readonly event: DomainEvent
}

/** A verification ended by the erasure, under the pseudonym, with its event. */
export interface VerificationEnd {
  readonly verification: Verification
  readonly event: DomainEvent
}

/** Input to `PersonStore.erase`: the records that the erasure ends, and the pseudonym that replaces the user id. */
export interface ErasurePlan {
  readonly person: HeldPerson
  readonly pseudonym: UserId
  readonly erasedAt: DateTime.Utc
  readonly actor: ConsentActor
  /** Ends of all `ACTIVE` grants, with receipts and events. */
  readonly ends: ReadonlyArray<GrantEndPlan>
  /** All `PENDING` requests past their expiry. */
  readonly expired: ReadonlyArray<RequestExpiry>
  /**
   * All other `PENDING` requests, now `CANCELLED`. Their merchants get no event, as with a merchant's own cancellation.
   */
  readonly cancelled: ReadonlyArray<DataRequest>
  /** Ends of all open verifications. */
  readonly verifications: ReadonlyArray<VerificationEnd>
  readonly codeName: ConsentTokenHash
}

export type ErasureDecision =
  | { readonly _tag: "Execute"; readonly plan: ErasurePlan }
  | { readonly _tag: "Refuse"; readonly reason: RefundsPending }

const withIds = <A>(records: ReadonlyArray<A>, ids: ReadonlyArray<EndIds>, from: number) =>
  records.flatMap((record, index) => {
    const end = ids[from + index]
    return end === undefined ? [] : [{ record, end }]
  })

const expiryOf = (
  { controller, request }: ErasureSnapshot["requests"][number],
  { eventId, receiptId }: EndIds,
  { now, policy }: ErasureContext
): RequestExpiry => ({
  request: dataRequestAsOf(request, now),
  receipt: ReceiptDrafts.ofExpiredRequest(request, { receiptId, controller, policy, notice: undefined }),
  event: ConsentEvents.requestExpired(request, eventId)
})

/**
 * Decides an erasure (contract 17). Refused while a refund is pending. Grants and requests past their expiry end as
 * expired. All other grants are revoked, and all other requests cancelled. An open verification ends as `ERROR`, leased
 * or not, and its event contains the pseudonym.
 */
export const decideErasure = (snapshot: ErasureSnapshot, context: ErasureContext): ErasureDecision => {
  const { grants, pendingRefunds, person, requests } = snapshot
  const { actor, codeName, ends: ids, now, policy, pseudonym } = context
  if (pendingRefunds > 0) {
    const { serviceId } = person
    return { _tag: "Refuse", reason: new RefundsPending({ serviceId, pending: pendingRefunds }) }
  }
  const ends = withIds(grants, ids, 0).flatMap(({ end, record }) => {
    const revocation = { _tag: "Revoke", actor, reason: undefined } as const
    const how = isInForce(record.grant, now) ? revocation : ({ _tag: "Expire" } as const)
    const decided = decideGrantEnd(record, how, { ...end, now, policy })
    return decided._tag === "Execute" ? [decided.plan] : []
  })
  const isOver = ({ request }: ErasureSnapshot["requests"][number]): boolean => !isPending(request, now)
  const expired = withIds(requests, ids, grants.length).flatMap(({ end, record }) =>
    isOver(record) ? [expiryOf(record, end, context)] : []
  )
  const cancelled = requests.flatMap(
    (record): ReadonlyArray<DataRequest> =>
      isOver(record) ? [] : [{ ...record.request, status: "CANCELLED", decidedBy: actor, decidedAt: now }]
  )
  const verifications = withIds(snapshot.verifications, ids, grants.length + requests.length).flatMap(
    ({ end: { eventId }, record }): ReadonlyArray<VerificationEnd> => {
      const verification = erasedVerification(record, pseudonym, now)
      const event = endEvent(verification, { eventId, traceparent: undefined })
      return event === undefined ? [] : [{ verification, event }]
    }
  )
  const plan = { person, pseudonym, erasedAt: now, actor, ends, expired, cancelled, verifications, codeName }
  return { _tag: "Execute", plan }
}
