import { type DateTime, Schema } from "effect"
import type { ConsentActor } from "../consent/ConsentActor.js"
import type { ConsentPolicy } from "../consent/grant/ConsentPolicy.js"
import { decideGrantEnd, type GrantEndPlan } from "../consent/grant/decideGrant.js"
import { isInForce } from "../consent/grant/Grant.js"
import type { ConsentTokenHash } from "../consent/link/ConsentToken.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import type { EventId, ReceiptId, UserId } from "../Ids.js"
import type { ErasureSnapshot, HeldPerson } from "./HeldPerson.js"

/** Money of the person is on its way, and the wallet that gets it knows the person by their user id. */
export class RefundsPending extends Schema.TaggedError<RefundsPending>(
  "@surety/core/person/decideErasure/RefundsPending"
)("RefundsPending", { serviceId: ConsumerId, pending: Schema.Int }) {
  override get message(): string {
    return `${this.pending} refunds to this person are pending. Erase the person once they have settled.`
  }
}

/** The new values of an erasure. `ends` has the ids of one end for each grant of the snapshot. */
export interface ErasureContext {
  readonly now: DateTime.Utc
  readonly actor: ConsentActor
  readonly pseudonym: UserId
  readonly ends: ReadonlyArray<{ readonly receiptId: ReceiptId; readonly eventId: EventId }>
  readonly policy: ConsentPolicy
  /** The name under which one-time codes to the person are counted. */
  readonly codeName: ConsentTokenHash
}

/** Everything that an erasure changes besides what it removes, to be committed all or nothing. */
export interface ErasurePlan {
  readonly person: HeldPerson
  readonly pseudonym: UserId
  readonly erasedAt: DateTime.Utc
  /** The end of every `ACTIVE` grant, with its receipt and event. */
  readonly ends: ReadonlyArray<GrantEndPlan>
  /** Every `PENDING` request, as cancelled. */
  readonly cancelled: ReadonlyArray<DataRequest>
  readonly codeName: ConsentTokenHash
}

export type ErasureDecision =
  | { readonly _tag: "Execute"; readonly plan: ErasurePlan }
  | { readonly _tag: "Refuse"; readonly reason: RefundsPending }

/** Decides an erasure (contract 17). A grant whose time is over has expired; every other one is revoked. */
export const decideErasure = (
  { grants, pendingRefunds, person, requests }: ErasureSnapshot,
  { actor, codeName, ends: ids, now, policy, pseudonym }: ErasureContext
): ErasureDecision => {
  if (pendingRefunds > 0) {
    const { serviceId } = person
    return { _tag: "Refuse", reason: new RefundsPending({ serviceId, pending: pendingRefunds }) }
  }
  const ends = grants.flatMap((snapshot, index) => {
    const end = ids[index]
    if (end === undefined) return []
    const revocation = { _tag: "Revoke", actor, reason: undefined } as const
    const how = isInForce(snapshot.grant, now) ? revocation : ({ _tag: "Expire" } as const)
    const decided = decideGrantEnd(snapshot, how, { ...end, now, policy })
    return decided._tag === "Execute" ? [decided.plan] : []
  })
  const cancelled = requests.map(
    (request): DataRequest => ({ ...request, status: "CANCELLED", decidedBy: actor, decidedAt: now })
  )
  return { _tag: "Execute", plan: { person, pseudonym, erasedAt: now, ends, cancelled, codeName } }
}
