import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import type { ProposalId } from "../../Ids.js"
import type { OperatorTransferInput } from "../../ledger/OperatorTransfers.js"
import type { Money } from "../../Money.js"
import type { ActionChange } from "../OperatorAction.js"
import { type Proposal, type ProposedCommand, type ProposedTransfer, proposalLasts } from "./Proposal.js"

/** A change to propose, before `openProposal` adds its id and its times. */
export interface ProposalInput {
  readonly environment: Environment
  readonly command: ProposedCommand
  /** The proposer's reason. It must not contain personal data. */
  readonly reason: string
  /** Name of the proposing operator. */
  readonly actor: string
}

export interface ApprovalCommand {
  readonly environment: Environment
  readonly id: ProposalId
  /** Name of the deciding operator. */
  readonly actor: string
}

/** The second operator's input to confirm: a transfer's amount, or the identifier of the person to erase. */
export type Confirmation = { readonly amount: Money } | { readonly serviceId: ConsumerId }

export const openProposal = (
  { actor, command, environment, reason }: ProposalInput,
  id: ProposalId,
  proposedAt: DateTime.Utc
): Proposal => ({
  id,
  environment,
  command,
  reason,
  proposedBy: actor,
  proposedAt,
  endsAt: DateTime.addDuration(proposedAt, proposalLasts),
  status: "OPEN"
})

/**
 * Serialises a proposal for its fingerprint. Omits the proposer, so the same request by another operator under the same
 * key is a replay.
 */
export const canonical = ({ command, environment, reason }: ProposalInput): string => {
  const told =
    command._tag === "Erasure"
      ? [command.serviceId]
      : [
          command.kind,
          command.direction ?? null,
          command.amount.currency,
          command.amount.minor.toString(),
          command.merchantId ?? null,
          command.serviceId ?? null
        ]
  return JSON.stringify(["operator.proposal", environment, command._tag, ...told, reason])
}

export const isConfirmedBy = (command: ProposedCommand, confirmation: Confirmation): boolean => {
  if (command._tag === "Erasure") return "serviceId" in confirmation && confirmation.serviceId === command.serviceId
  return (
    "amount" in confirmation &&
    confirmation.amount.currency === command.amount.currency &&
    confirmation.amount.minor === command.amount.minor
  )
}

/** Describes the proposed change as fields of the new proposal's action. */
export const changesOf = (command: ProposedCommand): ReadonlyArray<ActionChange> =>
  command._tag === "Erasure"
    ? [{ field: "change", to: "person.erased" }]
    : [
        { field: "change", to: "transfer.posted" },
        { field: "kind", to: command.kind },
        ...(command.direction === undefined ? [] : [{ field: "direction", to: command.direction }]),
        { field: "amountMinor", to: command.amount.minor.toString() },
        { field: "currency", to: command.amount.currency }
      ]

export const subjectOf = ({ command, environment, id }: Proposal) => ({
  target: id,
  environment,
  ...(command._tag === "Erasure" || command.merchantId === undefined ? {} : { merchantId: command.merchantId }),
  ...(command.serviceId === undefined ? {} : { serviceId: command.serviceId })
})

/** Describes the proposal as fields of the approved change's action. `reason` is the second operator's. */
export const approvedBy = ({ id, proposedBy }: Proposal, reason?: string): ReadonlyArray<ActionChange> => [
  { field: "proposal", to: id },
  { field: "proposedBy", to: proposedBy },
  ...(reason === undefined ? [] : [{ field: "approvalReason", to: reason }])
]

export const transferInput = (
  { environment, reason }: Proposal,
  { amount, serviceId, direction, kind, merchantId }: ProposedTransfer
): OperatorTransferInput | undefined => {
  const party = merchantId !== undefined ? { merchantId } : serviceId === undefined ? undefined : { serviceId }
  if (party === undefined) return undefined
  return { kind, ...(direction === undefined ? {} : { direction }), environment, amount, party, reason }
}
