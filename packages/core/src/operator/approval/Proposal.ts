import { DateTime, Duration, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { MerchantId, ProposalId, TransferId } from "../../Ids.js"
import { AdjustmentDirection, OperatorTransferKind } from "../../ledger/OperatorTransfer.js"
import { Money } from "../../Money.js"
import { foldedName } from "../Operator.js"

/** A transfer that waits for a second operator. Whose account: exactly one of merchant and person. */
export const ProposedTransfer = Schema.TaggedStruct("Transfer", {
  kind: OperatorTransferKind,
  /** Of an adjustment only. */
  direction: Schema.optionalKey(AdjustmentDirection),
  amount: Money,
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId)
})
export type ProposedTransfer = typeof ProposedTransfer.Type

/** A person's erasure that waits for a second operator. */
export const ProposedErasure = Schema.TaggedStruct("Erasure", { serviceId: ConsumerId })
export type ProposedErasure = typeof ProposedErasure.Type

export const ProposedCommand = Schema.Union([ProposedTransfer, ProposedErasure])
export type ProposedCommand = typeof ProposedCommand.Type

/** `OPEN` → `APPROVED` | `REFUSED`. An open one that no one decided in time can no longer be decided: `EXPIRED`. */
export const ProposalStatus = Schema.Literals(["OPEN", "APPROVED", "REFUSED", "EXPIRED"])
export type ProposalStatus = typeof ProposalStatus.Type

/** A change that one operator proposes and another decides. Nothing is reserved for it. */
export const Proposal = Schema.Struct({
  id: ProposalId,
  environment: Environment,
  command: ProposedCommand,
  /** The proposer's words. No personal value. */
  reason: Schema.String,
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  /** When it can no longer be approved. */
  endsAt: Schema.DateTimeUtc,
  /** As stored: an expired one is still `OPEN`. See `statusAt`. */
  status: Schema.Literals(["OPEN", "APPROVED", "REFUSED"]),
  /**
   * Since when a part of the host may be working on it, which cannot be undone: from then on it can be carried out, but
   * not refused.
   */
  begunAt: Schema.optionalKey(Schema.DateTimeUtc),
  decidedBy: Schema.optionalKey(Schema.String),
  decidedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Why it was refused: the second operator's words, or the reason for which the change failed. */
  refusal: Schema.optionalKey(Schema.String),
  /** The transfer that was posted. */
  transferId: Schema.optionalKey(TransferId)
})
export type Proposal = typeof Proposal.Type

/** How long a proposal waits. */
export const proposalLasts = Duration.hours(24)

/** The proposal's status at a time. */
export const statusAt = ({ endsAt, status }: Proposal, at: DateTime.Utc): ProposalStatus =>
  status === "OPEN" && DateTime.isLessThanOrEqualTo(endsAt, at) ? "EXPIRED" : status

/** Whether two names belong to one operator (`Operator.foldedName`). */
export const isSameOperator = (one: string, other: string): boolean => foldedName(one) === foldedName(other)

/** Whether an operator may still approve it: in time, and not the one who proposed it. */
export const mayApprove = (proposal: Proposal, operator: string, at: DateTime.Utc): boolean =>
  statusAt(proposal, at) === "OPEN" && !isSameOperator(proposal.proposedBy, operator)
