import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Consumers } from "@surety/core/consumer/Consumers"
import { MerchantId, ProposalId } from "@surety/core/Ids"
import { readMoney } from "@surety/core/input/MoneyInput"
import { transferFaults } from "@surety/core/ledger/transferFaults"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import type { Proposal, ProposedCommand, ProposedTransfer } from "@surety/core/operator/approval/Proposal"
import type { Confirmation } from "@surety/core/operator/approval/proposedChange"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { toPage } from "@surety/core/Page"
import { DateTime, Effect, type Layer, Result } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentOperator, type OperatorAccess } from "../access/OperatorAccess.js"
import { requireRole } from "../access/OperatorRoles.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, type Reading, readForm } from "../form/Form.js"
import { readKeyedForm, replayedHeader } from "../form/KeyedForm.js"
import { bodyFaults, inBody } from "../problem/Fault.js"
import {
  encodeProposal,
  operatorApprovalsRefusals,
  ProposalApprovalRequest,
  ProposalRefusalRequest,
  ProposalRequest,
  proposalRecord
} from "./OperatorApprovalsApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")
const proposalIn = pathId(ProposalId, "proposal_not_found")

const required = (field: string, detail: string) => inBody([field], "required", detail)
const notOfErasure = (field: string) => inBody([field], "not_allowed_value", "Omit this field for an ERASURE.")

type SentProposal = Omit<typeof ProposalRequest.Type, "amount" | "currency" | "kind" | "serviceId"> & {
  /** Undefined for an erasure. */
  readonly transfer: Pick<ProposedTransfer, "kind" | "amount"> | undefined
  readonly serviceId: ConsumerId | undefined
}

interface SentApproval {
  readonly reason: string
  readonly confirmation: Confirmation
}

const proposalForm = formWith(ProposalRequest, {
  understand: ({ amount, currency, kind, ...body }): Reading<SentProposal> => {
    if (kind === "ERASURE") {
      const sent = { amount, currency, direction: body.direction, merchantId: body.merchantId }
      const { serviceId } = body
      const faults = [
        ...Object.entries(sent).flatMap(([field, value]) => (value === undefined ? [] : [notOfErasure(field)])),
        ...(serviceId === undefined ? [required("serviceId", "Send whom to erase.")] : [])
      ]
      return serviceId !== undefined && faults.length === 0
        ? Result.succeed({ ...body, transfer: undefined, serviceId })
        : Result.fail(faults)
    }
    const faults = bodyFaults(transferFaults({ ...body, kind }))
    if (amount === undefined) return Result.fail([...faults, required("amount", "Send the amount to move.")])
    const money = readMoney({ amount, ...(currency === undefined ? {} : { currency }) })
    if (Result.isFailure(money)) return Result.fail([...bodyFaults([money.failure]), ...faults])
    return faults.length > 0
      ? Result.fail(faults)
      : Result.succeed({ ...body, transfer: { kind, amount: money.success }, serviceId: body.serviceId })
  }
})

const approvalForm = formWith(ProposalApprovalRequest, {
  understand: ({ amount, currency, reason, serviceId }): Reading<SentApproval> => {
    if (amount === undefined) {
      if (serviceId === undefined) {
        return Result.fail([required("amount", "Send the amount of a transfer, or the serviceId of an erasure.")])
      }
      const confirmation: Confirmation = { serviceId }
      return Result.succeed({ reason, confirmation })
    }
    const money = readMoney({ amount, ...(currency === undefined ? {} : { currency }) })
    if (Result.isFailure(money)) return Result.fail(bodyFaults([money.failure]))
    const confirmation: Confirmation = { amount: money.success }
    return serviceId === undefined
      ? Result.succeed({ reason, confirmation })
      : Result.fail([inBody(["serviceId"], "not_allowed_value", "Send either amount or serviceId.")])
  }
})

const refusalForm = formOf(ProposalRefusalRequest)

const roleToPropose = ({ _tag }: ProposedCommand) =>
  commandRoles[_tag === "Transfer" ? "transfer.post" : "erasure.propose"]
const roleToApprove = ({ _tag }: ProposedCommand) =>
  commandRoles[_tag === "Transfer" ? "transfer.approve" : "erasure.approve"]
const roleToRefuse = ({ _tag }: ProposedCommand) =>
  commandRoles[_tag === "Transfer" ? "transfer.refuse" : "erasure.refuse"]

const shown = (proposal: Proposal) => Effect.map(DateTime.now, (now) => proposalRecord(proposal, now))

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorApprovals">,
  never,
  OperatorAccess | Approvals | Consumers | Merchants
> = HttpApiBuilder.group(
  Api,
  "operatorApprovals",
  Effect.fnUntraced(function* (handlers) {
    const approvals = yield* Approvals
    const consumers = yield* Consumers
    const merchants = yield* Merchants

    /** Finds a proposal by its id, first in LIVE, then in TEST: the path does not name the environment. */
    const proposalOf = Effect.fnUntraced(function* (param: string) {
      const id = yield* proposalIn(param)
      return yield* Effect.catchTag(approvals.get("LIVE", id), "ProposalNotFound", () => approvals.get("TEST", id))
    })

    return handlers
      .handleRaw("propose", ({ request }) =>
        answer(
          operatorApprovalsRefusals.propose,
          Effect.gen(function* () {
            const { body, key } = yield* readKeyedForm(request, proposalForm)
            const { direction, environment = "LIVE", reason, serviceId, transfer } = body
            const operator = yield* CurrentOperator
            if (serviceId !== undefined) yield* consumers.get(environment, serviceId)
            const person = serviceId === undefined ? {} : { serviceId }
            const merchant =
              body.merchantId === undefined
                ? {}
                : { merchantId: (yield* merchants.get(yield* merchantIn(body.merchantId))).id }
            const directed = transfer?.kind === "ADJUSTMENT" ? { direction: direction ?? ("CREDIT" as const) } : {}
            const command: ProposedCommand | undefined =
              transfer !== undefined
                ? { _tag: "Transfer", ...transfer, ...directed, ...merchant, ...person }
                : serviceId === undefined
                  ? undefined
                  : { _tag: "Erasure", serviceId }
            if (command === undefined) return yield* Effect.die(new Error("the form names whom to erase"))
            yield* requireRole(operator, roleToPropose(command))
            const input = { environment, command, reason, actor: operator.name }
            const { proposal, replayed } = yield* approvals.propose(key, input)
            const text = encodeProposal(yield* shown(proposal))
            return jsonAnswer(yield* Exchange, text, 201, replayed ? replayedHeader : undefined)
          })
        )
      )
      .handle("listProposals", ({ query }) =>
        answer(
          operatorApprovalsRefusals.listProposals,
          Effect.gen(function* () {
            const { environment = "LIVE", status } = query
            const key = ["operatorApprovals.listProposals", environment] as const
            const found = yield* readPage(key, query, (page) => approvals.list(environment, status, page))
            const now = yield* DateTime.now
            return { environment, ...toPage(found, (proposal) => proposalRecord(proposal, now)) }
          })
        )
      )
      .handle("getProposal", ({ params }) =>
        answer(operatorApprovalsRefusals.getProposal, Effect.flatMap(proposalOf(params.proposalId), shown))
      )
      .handleRaw("approveProposal", ({ params, request }) =>
        answer(
          operatorApprovalsRefusals.approveProposal,
          Effect.gen(function* () {
            const { confirmation, reason } = yield* readForm(request, approvalForm)
            const { command, environment, id } = yield* proposalOf(params.proposalId)
            const operator = yield* CurrentOperator
            yield* requireRole(operator, roleToApprove(command))
            const approval = { environment, id, actor: operator.name, confirmation, reason }
            return yield* Effect.flatMap(approvals.approve(approval), shown)
          })
        )
      )
      .handleRaw("refuseProposal", ({ params, request }) =>
        answer(
          operatorApprovalsRefusals.refuseProposal,
          Effect.gen(function* () {
            const { reason } = yield* readForm(request, refusalForm)
            const { command, environment, id } = yield* proposalOf(params.proposalId)
            const operator = yield* CurrentOperator
            yield* requireRole(operator, roleToRefuse(command))
            return yield* Effect.flatMap(approvals.refuse({ environment, id, actor: operator.name, reason }), shown)
          })
        )
      )
  })
)
