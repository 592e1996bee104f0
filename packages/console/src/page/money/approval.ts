import { parse as parseConsumerId } from "@surety/core/consumer/ConsumerId"
import { ProposalId } from "@surety/core/Ids"
import { ChangeRefusal } from "@surety/core/operator/approval/ApprovalError"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { mayApprove, type Proposal, statusAt } from "@surety/core/operator/approval/Proposal"
import type { Confirmation } from "@surety/core/operator/approval/proposedChange"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Result, Schema } from "effect"
import { changeForm, textField } from "../../screen/changeForm.js"
import { amountOf, facts, head, idOf, lookAgain, note, panel, pill, wholeId } from "../../screen/parts.js"
import { orMissing } from "../actingAs.js"
import {
  type ConsolePage,
  FormRefused,
  formRefused,
  type PageView,
  RecordMissing,
  recordMissing,
  type SentChange
} from "../ConsolePage.js"
import { pendingRefund, pendingRefundNote } from "../person/pendingRefund.js"
import { halfErased } from "../person/person.js"
import { absentProposers } from "./absentProposers.js"
import { changeWords, merchantsOf, ofWhom, proposalState } from "./approvals.js"
import { balancePanel, proposalBalance } from "./proposalBalance.js"
import { typedAmount } from "./typedAmount.js"

const readId = Schema.decodeUnknownEffect(ProposalId)

const proposalIn = (view: PageView) =>
  orMissing(
    Effect.gen(function* () {
      const id = yield* readId(view.param("proposalId"))
      return yield* (yield* Approvals).get(view.environment, id)
    })
  )

const wordsByRefusal: Readonly<Record<ChangeRefusal, string>> = {
  insufficient_balance: "the account has too little",
  merchant_not_found: "the merchant does not exist",
  person_not_found: "the person does not exist",
  person_already_erased: "the person was erased before",
  refunds_pending: "a refund of theirs is pending; propose it again once the refund has ended",
  idempotency_key_reused: "another change has used its key"
}

const isChangeRefusal = Schema.is(ChangeRefusal)

/** Renders why a proposal was refused: core's reason in words, or what the operator wrote. */
const refusalWords = (refusal: string): HtmlValue =>
  isChangeRefusal(refusal) ? wordsByRefusal[refusal] : isolated(refusal, 500)

const decisionForms = (view: PageView, proposal: Proposal): Html => {
  const { command, proposedBy } = proposal
  const isTransfer = command._tag === "Transfer"
  const approve = isTransfer ? "approveTransfer" : "approveErasure"
  const refuse = isTransfer ? "refuseTransfer" : "refuseErasure"
  const field = isTransfer
    ? textField(view, approve, {
        name: "amount",
        label: `Type the amount again, in ${command.amount.currency}`,
        hint: `As proposed: ${amountOf(command.amount)}`
      })
    : textField(view, approve, { name: "serviceId", label: "Type the person’s identifier again" })
  const mine = !mayApprove(proposal, view.session.operator, view.now)
  return html`${
    mine
      ? note("info", html`<b>${isolated(proposedBy, 40)}</b> proposed it, and another operator has to approve it.`)
      : html`<section class="panel" aria-label="Approve"><header><h2>Approve</h2></header>${changeForm(view, {
          name: approve,
          button: isTransfer ? "Approve and post" : "Approve and erase",
          stops: true,
          fields: field,
          hint: "What you checked."
        })}</section>`
  }${
    proposal.begunAt === undefined
      ? html`<section class="panel" aria-label="Refuse"><header><h2>${mine ? "Withdraw" : "Refuse"}</h2></header>${changeForm(view, { name: refuse, button: mine ? "Withdraw" : "Refuse", isSecond: true })}</section>`
      : note("info", "The platform has begun to erase. It cannot be withdrawn any more; approve it to end it.")
  }`
}

const notYetErased =
  "The person is not erased yet: a refund of theirs is pending. Approve it again once the refund has ended."

/** Refuses the form with the reason an approved change was not made. A begun erasure may leave its proposal open. */
const changeRefused = Effect.fnUntraced(function* (view: PageView, refusal: ChangeRefusal) {
  const isStillOpen = statusAt(yield* proposalIn(view), view.now) === "OPEN"
  const message = isStillOpen ? notYetErased : `The change was not made: ${wordsByRefusal[refusal]}.`
  return yield* new FormRefused({ message })
})

type Tag = Proposal["command"]["_tag"]

const approving = (tag: Tag, confirmationOf: (proposal: Proposal, sent: SentChange) => Confirmation | undefined) =>
  Effect.fnUntraced(function* (view: PageView, sent: SentChange) {
    const proposal = yield* proposalIn(view)
    if (proposal.command._tag !== tag) return yield* new RecordMissing()
    const field = tag === "Transfer" ? "amount" : "serviceId"
    const confirmation = confirmationOf(proposal, sent)
    if (confirmation === undefined) {
      return yield* new FormRefused({ message: "Type it exactly as it was proposed.", field })
    }
    const { environment, id } = proposal
    const approved = (yield* Approvals).approve({
      environment,
      id,
      actor: view.session.operator,
      confirmation,
      reason: sent.reason
    })
    yield* Effect.catchTags(approved, {
      ProposalNotFound: recordMissing,
      ProposalClosed: formRefused,
      SecondOperatorRequired: formRefused,
      ConfirmationDiffers: ({ message }) => Effect.fail(new FormRefused({ message, field })),
      ProposedChangeRefused: ({ refusal }) => changeRefused(view, refusal),
      ErasuresExhausted: formRefused,
      PersonDataUnavailable: () => Effect.fail(new FormRefused({ message: halfErased }))
    })
    return {}
  })

const refusing = (tag: Tag) =>
  Effect.fnUntraced(function* (view: PageView, { reason }: SentChange) {
    const { command, environment, id } = yield* proposalIn(view)
    if (command._tag !== tag) return yield* new RecordMissing()
    const refused = (yield* Approvals).refuse({ environment, id, actor: view.session.operator, reason })
    yield* Effect.catchTags(refused, {
      ProposalNotFound: recordMissing,
      ProposalClosed: formRefused
    })
    return {}
  })

const typedConfirmation = ({ command }: Proposal, { form }: SentChange): Confirmation | undefined => {
  if (command._tag !== "Transfer") return undefined
  const amount = typedAmount(form.first("amount") ?? "", command.amount.currency)
  return amount === undefined ? undefined : { amount }
}

const typedPerson = (_: Proposal, { form }: SentChange): Confirmation | undefined => {
  const serviceId = parseConsumerId(form.first("serviceId") ?? "")
  return Result.isSuccess(serviceId) ? { serviceId: serviceId.success } : undefined
}

/** `approvals/{id}`: one proposal with its decision or, while it is open, forms to approve, refuse or withdraw it. */
export const approvalPage: ConsolePage = {
  path: "approvals/:proposalId",
  room: "approvals",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const proposal = yield* proposalIn(view)
    const { command, decidedAt, decidedBy, endsAt, id, proposedAt, proposedBy, reason, refusal, transferId } = proposal
    const [tone, word] = proposalState(proposal, view)
    const isOpen = statusAt(proposal, view.now) === "OPEN"
    const balance = yield* proposalBalance(view, proposal)
    const names = yield* merchantsOf([proposal])
    const pending = isOpen && command._tag === "Erasure" ? yield* pendingRefund(view, command.serviceId) : undefined
    const isAbsent = isOpen && (yield* absentProposers(view, [proposal])).has(proposedBy)
    return {
      title: "Proposal",
      body: html`${head({
        crumb: html`<a href="${view.href("approvals")}">Approvals</a> /`,
        title: changeWords(proposal),
        pill: pill(tone, word),
        meta: wholeId(id),
        acts: lookAgain(view)
      })}
${isAbsent && note("warn", html`<b>${isolated(proposedBy, 40)} has no token and no session now.</b> If they have left, refuse it and have it proposed again by an operator who can be asked.`)}${pendingRefundNote(view, pending)}
<div class="cols"><div class="stack">${panel(
        "Proposed",
        facts([
          ["By", isolated(proposedBy, 64)],
          ["Why", isolated(reason, 500)],
          ["Of", ofWhom(view, names, proposal)],
          ["When", view.times.moment(proposedAt)],
          [isOpen ? "Expires" : "Expired at the latest", view.times.moment(endsAt)],
          ["Decided by", decidedBy === undefined ? undefined : isolated(decidedBy, 64)],
          ["Decided", decidedAt === undefined ? undefined : view.times.moment(decidedAt)],
          ["Refused because", refusal === undefined ? undefined : refusalWords(refusal)],
          [
            "Transfer",
            transferId === undefined
              ? undefined
              : html`<a href="${view.href(`ledger/transfers/${transferId}`)}">${idOf(transferId)}</a>`
          ]
        ])
      )}${Option.isSome(balance) && balancePanel(proposal, balance.value)}${
        isOpen &&
        note(
          "info",
          command._tag === "Erasure"
            ? "Erasing cannot be undone. What must be kept stays under a pseudonym."
            : "Nothing is reserved: if the account has too little by then, the transfer is refused."
        )
      }</div><div class="stack">${isOpen && decisionForms(view, proposal)}</div></div>`
    }
  }),
  forms: {
    approveTransfer: {
      role: commandRoles["transfer.approve"],
      done: "The transfer is posted.",
      run: approving("Transfer", typedConfirmation)
    },
    approveErasure: {
      role: commandRoles["erasure.approve"],
      done: "The person is erased.",
      run: approving("Erasure", typedPerson)
    },
    refuseTransfer: {
      role: commandRoles["transfer.refuse"],
      done: "The proposal is refused.",
      run: refusing("Transfer")
    },
    refuseErasure: { role: commandRoles["erasure.refuse"], done: "The proposal is refused.", run: refusing("Erasure") }
  }
}
