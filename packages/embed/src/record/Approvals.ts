import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId, ProposalId, TransferId } from "@surety/core/Ids"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import * as Money from "@surety/core/Money"
import { type Proposal, ProposalStatus, statusAt } from "@surety/core/operator/approval/Proposal"
import { type DateTime, Schema } from "effect"
import { plain, Time } from "./plain.js"

const PlainProposal = Schema.Struct({
  id: ProposalId,
  environment: Environment,
  kind: Schema.Union([OperatorTransferKind, Schema.Literal("ERASURE")]),
  direction: Schema.optionalKey(AdjustmentDirection),
  /** In major units. */
  amount: Schema.optionalKey(Schema.Finite),
  currency: Schema.optionalKey(Schema.String),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.String,
  status: ProposalStatus,
  proposedBy: Schema.Struct({ name: Schema.String }),
  proposedAt: Time,
  endsAt: Time,
  begunAt: Schema.optionalKey(Time),
  decidedBy: Schema.optionalKey(Schema.Struct({ name: Schema.String })),
  decidedAt: Schema.optionalKey(Time),
  refusal: Schema.optionalKey(Schema.String),
  transferId: Schema.optionalKey(TransferId)
})

export const plainProposal = (now: DateTime.Utc) =>
  plain(PlainProposal, (proposal: Proposal) => {
    const { command, decidedBy, proposedBy, ...rest } = proposal
    const common = {
      ...rest,
      status: statusAt(proposal, now),
      proposedBy: { name: proposedBy },
      ...(decidedBy === undefined ? {} : { decidedBy: { name: decidedBy } })
    }
    if (command._tag === "Erasure") return { ...common, kind: "ERASURE" as const, serviceId: command.serviceId }
    const { _tag: _, amount, ...transfer } = command
    return { ...common, ...transfer, amount: Money.toNumber(amount), currency: amount.currency }
  })
