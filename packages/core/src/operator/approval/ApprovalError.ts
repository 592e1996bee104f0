import { Schema } from "effect"
import { ProposalId } from "../../Ids.js"
import { ProposalStatus } from "./Proposal.js"

/** No proposal in that environment has this id. */
export class ProposalNotFound extends Schema.TaggedError<ProposalNotFound>(
  "@surety/core/operator/approval/ApprovalError/ProposalNotFound"
)("ProposalNotFound", { id: ProposalId }) {
  override get message(): string {
    return "Proposal not found in this environment."
  }
}

/**
 * The proposal was decided or has expired, or an operator tried to refuse an erasure that has begun. In the last case,
 * `status` is `OPEN`.
 */
export class ProposalClosed extends Schema.TaggedError<ProposalClosed>(
  "@surety/core/operator/approval/ApprovalError/ProposalClosed"
)("ProposalClosed", { id: ProposalId, status: ProposalStatus }) {
  override get message(): string {
    return this.status === "OPEN"
      ? "The proposal is being carried out and can no longer be refused."
      : `The proposal is ${this.status}; nothing was changed.`
  }
}

export class SecondOperatorRequired extends Schema.TaggedError<SecondOperatorRequired>(
  "@surety/core/operator/approval/ApprovalError/SecondOperatorRequired"
)("SecondOperatorRequired", {}) {
  override get message(): string {
    return "A second operator must decide on this; the one who proposed it cannot."
  }
}

export class ConfirmationDiffers extends Schema.TaggedError<ConfirmationDiffers>(
  "@surety/core/operator/approval/ApprovalError/ConfirmationDiffers"
)("ConfirmationDiffers", {}) {
  override get message(): string {
    return "The confirmation does not match the proposal; nothing was changed."
  }
}

/** Why an approved change could not be made. */
export const ChangeRefusal = Schema.Literals([
  "insufficient_balance",
  "merchant_not_found",
  "person_not_found",
  "person_already_erased",
  "refunds_pending",
  "idempotency_key_reused"
])
export type ChangeRefusal = typeof ChangeRefusal.Type

/**
 * The approved change was not made, for the reason `refusal`. The proposal is then refused, unless it is an erasure
 * that has begun and refunds are pending. Data that the host's `PersonDataHolders` already erased stays erased.
 */
export class ProposedChangeRefused extends Schema.TaggedError<ProposedChangeRefused>(
  "@surety/core/operator/approval/ApprovalError/ProposedChangeRefused"
)("ProposedChangeRefused", { refusal: ChangeRefusal }) {
  override get message(): string {
    return `The change was refused: ${this.refusal}. The proposal shows whether it is still open.`
  }
}
