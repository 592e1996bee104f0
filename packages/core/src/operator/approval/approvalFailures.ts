import { Data } from "effect"
import type { PostFailed } from "../../ledger/OperatorTransfers.js"
import type { RefundsPending } from "../../person/decideErasure.js"
import type { PersonDataUnavailable } from "../../person/PersonDataHolders.js"
import type { PersonErasedBefore, PersonNotFound } from "../../person/PersonRights.js"
import type { ErasuresExhausted } from "../../person/PersonStore.js"
import type { StoreError } from "../../StoreError.js"
import type {
  ChangeRefusal,
  ConfirmationDiffers,
  ProposalClosed,
  ProposalNotFound,
  ProposedChangeRefused,
  SecondOperatorRequired
} from "./ApprovalError.js"

export type ApproveError =
  | ProposalNotFound
  | ProposalClosed
  | SecondOperatorRequired
  | ConfirmationDiffers
  | ProposedChangeRefused
  | PersonDataUnavailable
  | ErasuresExhausted
  | StoreError

/** Another decision on the proposal was made first. */
export class OvertakenApproval extends Data.TaggedError("OvertakenApproval") {}

export type CarryOutError =
  | OvertakenApproval
  | PostFailed
  | PersonNotFound
  | PersonErasedBefore
  | RefundsPending
  | ErasuresExhausted
  | PersonDataUnavailable

/** Failures that never close the proposal, since a later approval may succeed. */
type Repeatable = StoreError | PersonDataUnavailable | ErasuresExhausted

/**
 * Reasons for refusing a change, by the tag of its failure. Such a failure closes the proposal, except `RefundsPending`
 * after an erasure has begun.
 */
export const refusalByTag: Readonly<
  Record<Exclude<CarryOutError, OvertakenApproval | Repeatable>["_tag"], ChangeRefusal>
> = {
  InsufficientBalance: "insufficient_balance",
  MerchantNotFound: "merchant_not_found",
  ConsumerNotFound: "person_not_found",
  PersonNotFound: "person_not_found",
  PersonErasedBefore: "person_already_erased",
  RefundsPending: "refunds_pending",
  IdempotencyKeyReused: "idempotency_key_reused"
}

/** After a `StoreError`, the approval may have taken effect nonetheless. */
export const canBeRepeated = (error: CarryOutError): error is Repeatable =>
  error._tag === "StoreError" || error._tag === "PersonDataUnavailable" || error._tag === "ErasuresExhausted"
