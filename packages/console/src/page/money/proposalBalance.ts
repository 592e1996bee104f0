import type { AccountKey } from "@surety/core/ledger/Account"
import { type AccountPosting, Ledger } from "@surety/core/ledger/Ledger"
import { gives } from "@surety/core/ledger/OperatorTransfer"
import { type Proposal, type ProposedTransfer, statusAt } from "@surety/core/operator/approval/Proposal"
import { PersonStore } from "@surety/core/person/PersonStore"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option } from "effect"
import { facts, panel } from "../../screen/parts.js"
import type { PageView } from "../ConsolePage.js"
import { signed } from "./ledger.js"

/** An account's balance before and after a proposal's transfer, in minor units. */
export interface ProposalBalance {
  readonly before: bigint
  readonly after: bigint
  /** True once the transfer is posted. Until then, both balances may still change. */
  readonly isPosted: boolean
}

const accountOf = Effect.fnUntraced(function* ({ environment }: Proposal, command: ProposedTransfer) {
  const { currency } = command.amount
  if (command.merchantId !== undefined) {
    const account: AccountKey = { environment, kind: "SETTLEMENT", owner: command.merchantId, currency }
    return Option.some(account)
  }
  if (command.serviceId === undefined) return Option.none<AccountKey>()
  const person = yield* (yield* PersonStore).find(environment, command.serviceId)
  return Option.map(person, ({ userId }): AccountKey => ({ environment, kind: "WALLET", owner: userId, currency }))
})

const signedMinor = ({ side, transfer }: AccountPosting): bigint =>
  side === "CREDIT" ? transfer.amount.minor : -transfer.amount.minor

const mostAfter = 100

/**
 * Computes the account's balance before and after a proposal's transfer. For an open proposal, `before` is the current
 * balance. Returns `None` for an erasure, a proposal closed without a posting, or an account of an unknown person. For
 * a posted transfer, returns `None` if it is not among the account's `mostAfter` newest postings. Also returns `None`
 * if the balance changes while these postings are read.
 */
export const proposalBalance = Effect.fnUntraced(function* (view: PageView, proposal: Proposal) {
  const { command, transferId } = proposal
  const isOpen = statusAt(proposal, view.now) === "OPEN"
  if (command._tag !== "Transfer" || (!isOpen && transferId === undefined)) return Option.none<ProposalBalance>()
  const account = yield* accountOf(proposal, command)
  if (Option.isNone(account)) return Option.none<ProposalBalance>()
  const ledger = yield* Ledger
  const balance = Effect.map(
    ledger.balance(account.value),
    Option.getOrElse(() => 0n)
  )
  const now = yield* balance
  const by = gives(command) ? command.amount.minor : -command.amount.minor
  if (transferId === undefined) return Option.some({ before: now, after: now + by, isPosted: false })
  const { data } = yield* ledger.postings(account.value, { limit: mostAfter, cursor: undefined })
  const at = data.findIndex(({ transfer }) => transfer.id === transferId)
  if (at < 0 || (yield* balance) !== now) return Option.none<ProposalBalance>()
  const after = data.slice(0, at).reduce((sum, posting) => sum - signedMinor(posting), now)
  return Option.some({ before: after - by, after, isPosted: true })
})

export const balancePanel = ({ command }: Proposal, { after, before, isPosted }: ProposalBalance): Html | undefined => {
  if (command._tag !== "Transfer") return undefined
  const { currency } = command.amount
  return panel(
    isPosted ? "Balance of the account" : "Balance of the account, as of now",
    facts([
      [isPosted ? "Before" : "Now", html`<span class="num">${currency} ${signed(before, currency)}</span>`],
      [isPosted ? "After" : "After it", html`<b class="num">${currency} ${signed(after, currency)}</b>`]
    ])
  )
}
