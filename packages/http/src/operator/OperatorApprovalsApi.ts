import { Environment } from "@surety/core/Environment"
import { MerchantId, ProposalId, TransferId } from "@surety/core/Ids"
import { Amount, CurrencyCode } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { identifierText } from "@surety/core/input/Text"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import * as Money from "@surety/core/Money"
import type { ProposalClosed, ProposedChangeRefused } from "@surety/core/operator/approval/ApprovalError"
import { type Proposal, ProposalStatus, statusAt } from "@surety/core/operator/approval/Proposal"
import { type DateTime, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerNotFoundAt } from "../consent/ConsentRefusals.js"
import { documented } from "../docs/Documented.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { environmentPageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { erasuresExhausted, holderFailed } from "../person/PeopleApi.js"
import { problem } from "../problem/Problem.js"
import { problems } from "../problem/ProblemDetails.js"
import type { RefusedAs } from "../problem/Refusal.js"
import { ChangeReason } from "./OperatorConsumersApi.js"
import { secondOperatorNeeded } from "./secondOperatorNeeded.js"

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

const ProposedKind = Schema.Literals([...OperatorTransferKind.literals, "ERASURE"])

/**
 * The body of a proposal: a transfer or the erasure of a person. A transfer has the fields of
 * `POST /operator/ledger/transfers`, but no `idempotencyKey`: the key must be in the header.
 */
export const ProposalRequest = Schema.Struct({
  kind: ProposedKind.annotateKey({ description: "A kind of transfer, or ERASURE of the person." }),
  direction: Schema.optionalKey(
    AdjustmentDirection.annotateKey({ description: "Of an ADJUSTMENT: CREDIT, the default, or DEBIT." })
  ),
  environment: Schema.optionalKey(DefaultLive),
  currency: Schema.optionalKey(CurrencyCode),
  amount: Schema.optionalKey(Amount.annotateKey({ description: "Of a transfer." })),
  merchantId: Schema.optionalKey(identifierText(64).annotateKey({ description: "Whose settlement account." })),
  serviceId: Schema.optionalKey(
    ServiceId.pipe(Schema.annotateEncoded({ description: "Whose wallet, or whom to erase." }))
  ),
  reason: ChangeReason
}).annotate({ identifier: "ProposalRequest" })

/**
 * The second operator's confirmation and reason. The confirmation repeats the amount of a transfer, or the identifier
 * of the person to erase.
 */
export const ProposalApprovalRequest = Schema.Struct({
  amount: Schema.optionalKey(Amount.annotateKey({ description: "Of a transfer: the amount again." })),
  currency: Schema.optionalKey(CurrencyCode),
  serviceId: Schema.optionalKey(
    ServiceId.pipe(Schema.annotateEncoded({ description: "Of an erasure: the person's identifier again." }))
  ),
  reason: ChangeReason
}).annotate({ identifier: "ProposalApprovalRequest" })

export const ProposalRefusalRequest = Schema.Struct({ reason: ChangeReason }).annotate({
  identifier: "ProposalRefusalRequest"
})

export const ProposalRecord = Schema.Struct({
  id: ProposalId,
  environment: Environment,
  kind: ProposedKind,
  direction: Schema.optionalKey(AdjustmentDirection),
  /** In major units. Absent for an erasure. */
  amount: Schema.optionalKey(Schema.Finite),
  currency: Schema.optionalKey(Schema.String),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ServiceIdRecord),
  reason: Schema.String,
  status: ProposalStatus,
  proposedBy: Schema.String,
  proposedAt: Timestamp,
  endsAt: Timestamp,
  begunAt: Schema.optionalKey(Timestamp),
  decidedBy: Schema.optionalKey(Schema.String),
  decidedAt: Schema.optionalKey(Timestamp),
  refusal: Schema.optionalKey(Schema.String),
  transferId: Schema.optionalKey(TransferId)
}).annotate({ identifier: "Proposal" })

export const proposalRecord = (proposal: Proposal, now: DateTime.Utc): typeof ProposalRecord.Type => {
  const { command, ...rest } = proposal
  const status = statusAt(proposal, now)
  if (command._tag === "Erasure") return { ...rest, status, kind: "ERASURE", serviceId: command.serviceId }
  const { _tag: _, amount, ...transfer } = command
  return { ...rest, ...transfer, status, amount: Money.toNumber(amount), currency: amount.currency }
}

const encode = Schema.encodeSync(ProposalRecord)

export const encodeProposal = (record: typeof ProposalRecord.Type): string => JSON.stringify(encode(record))

const closed: RefusedAs<ProposalClosed> = {
  codes: ["proposal_closed"],
  problem: ({ message }) => problem("proposal_closed", { detail: message })
}

const changeRefused: RefusedAs<ProposedChangeRefused> = {
  codes: ["proposed_change_refused"],
  problem: ({ message }) => problem("proposed_change_refused", { detail: message })
}

export const operatorApprovalsRefusals = {
  propose: {
    MerchantNotFound: "merchant_not_found",
    ConsumerNotFound: consumerNotFoundAt("serviceId"),
    IdempotencyKeyReused: "idempotency_key_reused"
  },
  listProposals: {},
  getProposal: { ProposalNotFound: "proposal_not_found" },
  approveProposal: {
    ProposalNotFound: "proposal_not_found",
    ProposalClosed: closed,
    SecondOperatorRequired: secondOperatorNeeded,
    ConfirmationDiffers: "confirmation_differs",
    ProposedChangeRefused: changeRefused,
    PersonDataUnavailable: holderFailed,
    ErasuresExhausted: erasuresExhausted
  },
  refuseProposal: { ProposalNotFound: "proposal_not_found", ProposalClosed: closed }
} as const

const proposalPath = { proposalId: Schema.String }

export class OperatorApprovalsApi extends HttpApiGroup.make("operatorApprovals")
  .add(
    HttpApiEndpoint.post("propose", "/operator/proposals", {
      headers: idempotencyKeyHeader,
      payload: ProposalRequest,
      success: ProposalRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Propose a transfer or an erasure to a second operator",
        description:
          "It expires after 24 hours. Nothing is reserved for it. A repeated Idempotency-Key returns the first proposal.",
        refusals: operatorApprovalsRefusals.propose
      })
    ),
    HttpApiEndpoint.get("listProposals", "/operator/proposals", {
      query: {
        environment: Schema.optionalKey(DefaultLive),
        status: Schema.optionalKey(ProposalStatus),
        ...pagingQuery
      },
      success: environmentPageOf(ProposalRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List changes that wait, or waited, for a second operator",
        description: "Newest first. EXPIRED: no one decided within 24 hours.",
        refusals: operatorApprovalsRefusals.listProposals
      })
    ),
    HttpApiEndpoint.get("getProposal", "/operator/proposals/:proposalId", {
      params: proposalPath,
      success: ProposalRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a proposal",
        description: "The change, who proposed it and why, and its outcome.",
        refusals: operatorApprovalsRefusals.getProposal
      })
    ),
    HttpApiEndpoint.post("approveProposal", "/operator/proposals/:proposalId/approve", {
      params: proposalPath,
      payload: ProposalApprovalRequest,
      success: ProposalRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Approve a proposal of another operator",
        description:
          "Makes the change, once, with both names in its one action. Send the amount again, or the identifier of the " +
          "person. A transfer requires the role money, an erasure the role admin.",
        refusals: operatorApprovalsRefusals.approveProposal
      })
    ),
    HttpApiEndpoint.post("refuseProposal", "/operator/proposals/:proposalId/refuse", {
      params: proposalPath,
      payload: ProposalRefusalRequest,
      success: ProposalRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Refuse a proposal, or withdraw your own",
        description: "A transfer requires the role money, an erasure the role support.",
        refusals: operatorApprovalsRefusals.refuseProposal
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Operator: approvals",
      description: "Changes that one operator proposes and another decides."
    })
  ) {}
