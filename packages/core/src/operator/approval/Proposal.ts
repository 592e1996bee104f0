import { DateTime, Duration, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { MerchantId, ProposalId, TransferId } from "../../Ids.js"
import { AdjustmentDirection, OperatorTransferKind } from "../../ledger/OperatorTransfer.js"
import { Money } from "../../Money.js"
import { foldedName } from "../Operator.js"

/** A transfer to post once approved. Exactly one of `merchantId` and `serviceId` is set: the party of the transfer. */
export const ProposedTransfer = Schema.TaggedStruct("Transfer", {
  kind: OperatorTransferKind,
  /** Present for adjustments only. */
  direction: Schema.optionalKey(AdjustmentDirection),
  amount: Money,
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId)
})
export type ProposedTransfer = typeof ProposedTransfer.Type

export const ProposedErasure = Schema.TaggedStruct("Erasure", { serviceId: ConsumerId })
export type ProposedErasure = typeof ProposedErasure.Type

export const ProposedCommand = Schema.Union([ProposedTransfer, ProposedErasure])
export type ProposedCommand = typeof ProposedCommand.Type

/** `OPEN` → `APPROVED` | `REFUSED`. A proposal not decided in time is `EXPIRED` and can no longer be decided. */
export const ProposalStatus = Schema.Literals(["OPEN", "APPROVED", "REFUSED", "EXPIRED"])
export type ProposalStatus = typeof ProposalStatus.Type

/** A change that one operator proposes and another must approve. It reserves no money. */
export const Proposal = Schema.Struct({
  id: ProposalId,
  environment: Environment,
  command: ProposedCommand,
  /** The proposer's reason. It must not contain personal data. */
  reason: Schema.String,
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  /** When the proposal expires. */
  endsAt: Schema.DateTimeUtc,
  /** The stored status, which stays `OPEN` after expiry. See `statusAt`. */
  status: Schema.Literals(["OPEN", "APPROVED", "REFUSED"]),
  /**
   * Time from which one of the host's `PersonDataHolders` may have erased data. That cannot be undone, so from then on
   * operators can complete the proposal but not refuse it.
   */
  begunAt: Schema.optionalKey(Schema.DateTimeUtc),
  decidedBy: Schema.optionalKey(Schema.String),
  decidedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Why the proposal was refused or withdrawn: the operator's reason, or why the change failed. */
  refusal: Schema.optionalKey(Schema.String),
  /** The transfer posted by the approval. */
  transferId: Schema.optionalKey(TransferId)
})
export type Proposal = typeof Proposal.Type

export const proposalLasts = Duration.hours(24)

/** Returns the proposal's status at `at`: `EXPIRED` from `endsAt` on, if it is still undecided. */
export const statusAt = ({ endsAt, status }: Proposal, at: DateTime.Utc): ProposalStatus =>
  status === "OPEN" && DateTime.isLessThanOrEqualTo(endsAt, at) ? "EXPIRED" : status

/** Returns true if two names denote the same operator, regardless of letter case (`Operator.foldedName`). */
export const isSameOperator = (one: string, other: string): boolean => foldedName(one) === foldedName(other)

export const mayApprove = (proposal: Proposal, operator: string, at: DateTime.Utc): boolean =>
  statusAt(proposal, at) === "OPEN" && !isSameOperator(proposal.proposedBy, operator)
