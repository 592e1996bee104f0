import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import type { ProposalId } from "../../Ids.js"
import type { OperatorTransferInput } from "../../ledger/OperatorTransfers.js"
import type { Money } from "../../Money.js"
import type { ActionChange } from "../OperatorAction.js"
import { type Proposal, type ProposedCommand, type ProposedTransfer, proposalLasts } from "./Proposal.js"

/** A change to propose. */
export interface ProposalInput {
  readonly environment: Environment
  readonly command: ProposedCommand
  /** No personal value. */
  readonly reason: string
  /** The operator's name. */
  readonly actor: string
}

/** Which proposal an operator decides on. */
export interface ApprovalCommand {
  readonly environment: Environment
  readonly id: ProposalId
  /** The operator's name. */
  readonly actor: string
}

/** What the second operator types again: a transfer's amount, or the identifier of the person to erase. */
export type Confirmation = { readonly amount: Money } | { readonly serviceId: ConsumerId }

/** The proposal of a change, still open. */
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

/** The text from which a proposal's fingerprint is computed. */
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

/** Whether what was typed again matches the proposal. */
export const isConfirmedBy = (command: ProposedCommand, confirmation: Confirmation): boolean => {
  if (command._tag === "Erasure") return "serviceId" in confirmation && confirmation.serviceId === command.serviceId
  return (
    "amount" in confirmation &&
    confirmation.amount.currency === command.amount.currency &&
    confirmation.amount.minor === command.amount.minor
  )
}

/** The parts of a new proposal's action that describe its change. */
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

/** The record that a proposal would change. */
export const subjectOf = ({ command, environment, id }: Proposal) => ({
  target: id,
  environment,
  ...(command._tag === "Erasure" || command.merchantId === undefined ? {} : { merchantId: command.merchantId }),
  ...(command.serviceId === undefined ? {} : { serviceId: command.serviceId })
})

/** The parts of an approved change's action that describe its proposal; `reason` is the second operator's own. */
export const approvedBy = ({ id, proposedBy }: Proposal, reason?: string): ReadonlyArray<ActionChange> => [
  { field: "proposal", to: id },
  { field: "proposedBy", to: proposedBy },
  ...(reason === undefined ? [] : [{ field: "approvalReason", to: reason }])
]

/** The transfer to post; undefined if the proposal names neither merchant nor person. */
export const transferInput = (
  { environment, reason }: Proposal,
  { amount, serviceId, direction, kind, merchantId }: ProposedTransfer
): OperatorTransferInput | undefined => {
  const party = merchantId !== undefined ? { merchantId } : serviceId === undefined ? undefined : { serviceId }
  if (party === undefined) return undefined
  return { kind, ...(direction === undefined ? {} : { direction }), environment, amount, party, reason }
}
