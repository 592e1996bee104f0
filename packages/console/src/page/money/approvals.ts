import { format } from "@surety/core/Money"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { type Proposal, ProposalStatus, statusAt } from "@surety/core/operator/approval/Proposal"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Schema } from "effect"
import { type Columns, type Shown, timeColumn, timeInFile } from "../../screen/columns.js"
import { csvButton, csvOf } from "../../screen/csv.js"
import { empty, head, idOf, lookAgain, moneyOf, state, type Tone } from "../../screen/parts.js"
import { filters, pager, sliceOf, table } from "../../screen/tables.js"
import type { ConsolePage, PageView } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"
import { readFilter } from "../readFilter.js"
import { absentProposers } from "./absentProposers.js"

const readStatus = Schema.decodeUnknownOption(ProposalStatus)

const statusWords = { OPEN: "open", APPROVED: "approved", REFUSED: "refused", EXPIRED: "expired" } as const

export const proposalState = (proposal: Proposal, { now }: PageView): readonly [Tone, string] => {
  const words: Readonly<Record<ProposalStatus, readonly [Tone, string]>> = {
    OPEN: ["wait", "Waiting for a second operator"],
    APPROVED: ["ok", "Approved"],
    REFUSED: ["off", "Refused"],
    EXPIRED: ["off", "Expired"]
  }
  return words[statusAt(proposal, now)]
}

/** Renders a proposal's change, such as `Adjustment (credit) of NGN 1,000.00` or `Erase` with the person's id. */
export const changeWords = ({ command }: Proposal): Html => {
  if (command._tag === "Erasure") return html`Erase <b>${command.serviceId}</b>`
  const { amount, direction, kind } = command
  return html`${kind.charAt(0)}${kind.slice(1).toLowerCase()}${direction !== undefined && html` (${direction.toLowerCase()})`} of <b>${moneyOf(amount)}</b>`
}

type Names = Effect.Success<ReturnType<typeof merchantNames>>

export const merchantsOf = (proposals: ReadonlyArray<Proposal>) =>
  merchantNames(proposals.flatMap(({ command }) => (command._tag === "Transfer" ? [command] : [])))

/**
 * Renders a link to the merchant or person that a proposal concerns. Returns `undefined` for a transfer that names
 * neither.
 */
export const ofWhom = (view: PageView, names: Names, { command }: Proposal): Html | undefined => {
  if (command._tag === "Transfer" && command.merchantId !== undefined) {
    return html`<a href="${view.href(`merchants/${command.merchantId}`)}">${names.of(command.merchantId)}</a>`
  }
  return command.serviceId === undefined
    ? undefined
    : html`<a href="${view.href(`people/${command.serviceId}`)}">${command.serviceId}</a>`
}

const atFirst: ProposalStatus = "OPEN"

const selected = (view: PageView) => readFilter(view, "status", "choice", readStatus, atFirst)

const proposalColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Proposal",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`approvals/${id}`)}">${idOf(id)}</a>`,
      file: [["id", ({ id }) => id]]
    },
    change: {
      head: "Change",
      kind: "time",
      cell: changeWords,
      file: [["change", ({ command }) => (command._tag === "Erasure" ? "ERASURE" : command.kind)]]
    },
    of: {
      head: "Of",
      kind: "wide",
      cell: (proposal) => ofWhom(view, names, proposal),
      file: [
        ["merchant_id", ({ command }) => (command._tag === "Erasure" ? undefined : command.merchantId)],
        ["service_id", ({ command }) => command.serviceId]
      ]
    },
    amount: {
      file: [
        ["currency", ({ command }) => (command._tag === "Erasure" ? undefined : command.amount.currency)],
        ["amount", ({ command }) => (command._tag === "Erasure" ? undefined : format(command.amount))]
      ]
    },
    state: {
      head: "State",
      cell: (proposal) => {
        const [tone, word] = proposalState(proposal, view)
        return state(tone, tone === "wait" ? "Open" : word)
      },
      file: [["status", ({ status }) => status]]
    },
    reason: {
      head: "Why",
      kind: "brief",
      cell: ({ reason }) => html`<span class="soft">${isolated(reason, 80)}</span>`,
      file: [["reason", ({ reason }) => reason]]
    },
    proposedBy: {
      head: "Proposed by",
      cell: ({ proposedBy }) => isolated(proposedBy, 40),
      label: "by",
      file: [["proposed_by", ({ proposedBy }) => proposedBy]]
    },
    proposedAt: timeColumn(view, "Time", "proposedAt"),
    ends: timeColumn(view, "Ends", "endsAt", "ends"),
    decided: {
      file: [
        ["decided_by", ({ decidedBy }) => decidedBy],
        timeInFile("decidedAt"),
        ["refusal", ({ refusal }) => refusal]
      ]
    }
  }) satisfies Columns<Proposal>

/** `approvals`: proposals, newest first. By default only open ones, which wait for a second operator. */
export const approvalsPage: ConsolePage = {
  path: "approvals",
  room: "approvals",
  role: "viewer",
  csv: csvOf<Proposal>("money", "proposals", proposalColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* Approvals).list(view.environment, yield* selected(view), page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const wanted = yield* selected(view)
    const found = yield* (yield* Approvals).list(view.environment, wanted, sliceOf(view))
    const names = yield* merchantsOf(found.data)
    const absent = yield* absentProposers(view, found.data)
    const { change, id, of, proposedAt, proposedBy, reason, state, ends } = proposalColumns({ view, names })
    const by = {
      ...proposedBy,
      cell: (proposal: Proposal) =>
        html`${isolated(proposal.proposedBy, 40)}${statusAt(proposal, view.now) === "OPEN" && absent.has(proposal.proposedBy) && html` <span class="tag">has no token</span>`}`
    }
    const rows = table<Proposal>("Proposals", [id, change, of, state, by, reason, proposedAt, ends], found.data)
    return {
      title: "Approvals",
      body: html`${head({ title: "Approvals", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [{ name: "status", label: "State", choices: statusWords, atFirst }])}
<section class="panel" aria-label="Proposals">${
        found.data.length === 0
          ? empty(
              "two",
              wanted === atFirst ? "No open proposals" : "No such proposals",
              "Large transfers, adjustments and erasures wait here until a second operator decides."
            )
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
