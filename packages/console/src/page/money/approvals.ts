import { parse as parseConsumerId } from "@surety/core/consumer/ConsumerId"
import { ProposalId } from "@surety/core/Ids"
import { format } from "@surety/core/Money"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { mayApprove, type Proposal, ProposalStatus, statusAt } from "@surety/core/operator/approval/Proposal"
import type { Confirmation } from "@surety/core/operator/approval/proposedChange"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Result, Schema } from "effect"
import { changeForm, textField } from "../../screen/changeForm.js"
import { csvButton, csvOf, csvTime } from "../../screen/csv.js"
import {
  amountOf,
  empty,
  facts,
  head,
  idOf,
  lookAgain,
  moneyOf,
  note,
  panel,
  pill,
  state,
  type Tone,
  timeIn,
  wholeId
} from "../../screen/parts.js"
import { filters, pager, sliceOf, table } from "../../screen/tables.js"
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
import { halfErased } from "../person/person.js"
import { filterOf } from "../refunds.js"
import { balancePanel, proposalBalance } from "./proposalBalance.js"
import { typedAmount } from "./typedAmount.js"

const readStatus = Schema.decodeUnknownOption(ProposalStatus)
const readId = Schema.decodeUnknownEffect(ProposalId)

const statusWords = { OPEN: "open", APPROVED: "approved", REFUSED: "refused", EXPIRED: "ended" } as const

const proposalState = (proposal: Proposal, { now }: PageView): readonly [Tone, string] => {
  const words: Readonly<Record<ProposalStatus, readonly [Tone, string]>> = {
    OPEN: ["wait", "Waits for a second operator"],
    APPROVED: ["ok", "Approved"],
    REFUSED: ["off", "Refused"],
    EXPIRED: ["off", "Ended undecided"]
  }
  return words[statusAt(proposal, now)]
}

/** What a proposal would do, in words. */
const changeWords = ({ command }: Proposal): Html => {
  if (command._tag === "Erasure") return html`Erase <b>${command.serviceId}</b>`
  const { amount, direction, kind } = command
  return html`${kind.charAt(0)}${kind.slice(1).toLowerCase()}${direction !== undefined && html` (${direction.toLowerCase()})`} of <b>${moneyOf(amount)}</b>`
}

const ofWhom = (view: PageView, { command }: Proposal): Html | undefined => {
  if (command._tag === "Transfer" && command.merchantId !== undefined) {
    return html`<a href="${view.href(`merchants/${command.merchantId}`)}">${idOf(command.merchantId)}</a>`
  }
  return command.serviceId === undefined
    ? undefined
    : html`<a href="${view.href(`people/${command.serviceId}`)}">${command.serviceId}</a>`
}

/** The status that the page's filter selects. */
const selected = (view: PageView) => Option.getOrUndefined(readStatus(filterOf(view, "status")))

/** `approvals`: changes that wait for a second operator, newest first. */
export const approvalsPage: ConsolePage = {
  path: "approvals",
  room: "approvals",
  role: "viewer",
  csv: csvOf<Proposal>(
    "money",
    "proposals",
    [
      ["id", ({ id }) => id],
      ["change", ({ command }) => (command._tag === "Erasure" ? "ERASURE" : command.kind)],
      ["merchant_id", ({ command }) => (command._tag === "Erasure" ? undefined : command.merchantId)],
      ["service_id", ({ command }) => command.serviceId],
      ["currency", ({ command }) => (command._tag === "Erasure" ? undefined : command.amount.currency)],
      ["amount", ({ command }) => (command._tag === "Erasure" ? undefined : format(command.amount))],
      ["status", ({ status }) => status],
      ["reason", ({ reason }) => reason],
      ["proposed_by", ({ proposedBy }) => proposedBy],
      ["proposed_at", ({ proposedAt }) => csvTime(proposedAt)],
      ["decided_by", ({ decidedBy }) => decidedBy],
      ["decided_at", ({ decidedAt }) => csvTime(decidedAt)],
      ["refusal", ({ refusal }) => refusal]
    ],
    (view, page) => Effect.flatMap(Approvals, (approvals) => approvals.list(view.environment, selected(view), page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Approvals).list(view.environment, selected(view), sliceOf(view))
    const rows = table<Proposal>(
      "Proposals",
      [
        {
          head: "Proposal",
          kind: "key",
          cell: ({ id }) => html`<a href="${view.href(`approvals/${id}`)}">${idOf(id)}</a>`
        },
        { head: "Change", cell: changeWords },
        { head: "Of", kind: "wide", cell: (proposal) => ofWhom(view, proposal) },
        { head: "State", cell: (proposal) => state(...proposalState(proposal, view)) },
        { head: "Proposed by", cell: ({ proposedBy }) => isolated(proposedBy, 40), label: "by" },
        {
          head: "Why",
          kind: "wide",
          cell: ({ reason }) => html`<span class="soft">${isolated(reason, 80)}</span>`
        },
        { head: "Time", kind: "time", cell: ({ proposedAt }) => timeIn(view, proposedAt) },
        { head: "Ends", kind: "time", cell: ({ endsAt }) => timeIn(view, endsAt), label: "ends" }
      ],
      found.data
    )
    return {
      title: "Approvals",
      body: html`${head({ title: "Approvals", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [{ name: "status", label: "State", choices: statusWords }])}
<section class="panel" aria-label="Proposals">${
        found.data.length === 0
          ? empty(
              "two",
              "Nothing waits",
              "Large transfers, adjustments and erasures wait here until a second operator decides."
            )
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}

const proposalIn = (view: PageView) =>
  orMissing(
    Effect.gen(function* () {
      const id = yield* readId(view.param("proposalId"))
      return yield* (yield* Approvals).get(view.environment, id)
    })
  )

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
      ? html`<section class="panel" aria-label="Refuse"><header><h2>${mine ? "Withdraw" : "Refuse"}</h2></header>${changeForm(view, { name: refuse, button: mine ? "Withdraw" : "Refuse" })}</section>`
      : note("info", "The platform has begun to erase. It cannot be withdrawn any more; approve it to end it.")
  }`
}

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
      ProposedChangeRefused: formRefused,
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

/** `approvals/{id}`: one proposal, and its decision. */
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
    return {
      title: "Proposal",
      body: html`${head({
        crumb: html`<a href="${view.href("approvals")}">Approvals</a> /`,
        title: changeWords(proposal),
        pill: pill(tone, word),
        meta: wholeId(id)
      })}
<div class="cols"><div class="stack">${panel(
        "Proposed",
        facts([
          ["By", isolated(proposedBy, 64)],
          ["Why", isolated(reason, 500)],
          ["Of", ofWhom(view, proposal)],
          ["When", view.times.moment(proposedAt)],
          [isOpen ? "Ends" : "Ended at the latest", view.times.moment(endsAt)],
          ["Decided by", decidedBy === undefined ? undefined : isolated(decidedBy, 64)],
          ["Decided", decidedAt === undefined ? undefined : view.times.moment(decidedAt)],
          ["Refused because", refusal === undefined ? undefined : isolated(refusal, 500)],
          ["Transfer", transferId === undefined ? undefined : wholeId(transferId)]
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
