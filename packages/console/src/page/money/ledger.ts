import { MerchantId, TransferId } from "@surety/core/Ids"
import type { Account, AccountKey, AccountKind } from "@surety/core/ledger/Account"
import { accountId, parseAccountId } from "@surety/core/ledger/AccountId"
import { type AccountPosting, Ledger } from "@surety/core/ledger/Ledger"
import type { Transfer } from "@surety/core/ledger/Transfer"
import { format, type Money } from "@surety/core/Money"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option, Schema } from "effect"
import { type Columns, csvTime, type Shown } from "../../screen/columns.js"
import { csvButton, csvOf } from "../../screen/csv.js"
import {
  amountOf,
  button,
  empty,
  facts,
  head,
  idOf,
  lookAgain,
  moneyOf,
  panel,
  timeIn,
  wholeId
} from "../../screen/parts.js"
import { pager, sliceOf, table } from "../../screen/tables.js"
import { orMissing } from "../actingAs.js"
import { type ConsolePage, type PageView, RecordMissing } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"

const kindWords: Readonly<Record<AccountKind, string>> = {
  WALLET: "Wallet",
  SETTLEMENT: "Settlement",
  EXTERNAL: "Outside"
}

/** Formats an amount for a CSV export: `-1000.00`. */
export const amountInFile = (minor: bigint, currency: Money["currency"]): string =>
  `${minor < 0n ? "-" : ""}${format({ currency, minor: minor < 0n ? -minor : minor })}`

/** Formats a balance for a page: `1,000.00`, with the minus sign U+2212 if it is negative. */
export const signed = (minor: bigint, currency: Money["currency"]): string =>
  `${minor < 0n ? "−" : ""}${amountOf({ currency, minor: minor < 0n ? -minor : minor })}`

const readMerchantId = Schema.decodeUnknownOption(MerchantId)

const ownersOf = (accounts: ReadonlyArray<AccountKey>) =>
  merchantNames(accounts.map(({ owner }) => ({ merchantId: Option.getOrUndefined(readMerchantId(owner)) })))

type Owners = Effect.Success<ReturnType<typeof ownersOf>>

const ownerOf = (view: PageView, owners: Owners, { kind, owner }: AccountKey): Html => {
  if (kind === "EXTERNAL") return html`cards and banks`
  const merchantId = readMerchantId(owner)
  return kind === "SETTLEMENT" && Option.isSome(merchantId)
    ? html`<a href="${view.href(`merchants/${owner}`)}">${owners.of(merchantId.value)}</a>`
    : html`<a href="${view.href("search", { q: owner })}">${idOf(owner)}</a>`
}

const transferWords = ({ kind }: Transfer): string => kind.toLowerCase().replaceAll("_", " ")

const causeLink = (view: PageView, { cause }: Transfer): Html =>
  html`<a href="${cause.startsWith("refund_") ? view.href(`refunds/${cause}`) : view.href("search", { q: cause })}">${idOf(cause)}</a>`

const accountColumns = ({ names, view }: Shown) =>
  ({
    kind: {
      head: "Account",
      kind: "key",
      cell: ({ key }) => html`<a href="${view.href(`ledger/accounts/${accountId(key)}`)}">${kindWords[key.kind]}</a>`,
      file: [
        ["account_id", ({ key }) => accountId(key)],
        ["kind", ({ key }) => key.kind]
      ]
    },
    owner: { head: "Of", cell: ({ key }) => ownerOf(view, names, key), file: [["owner", ({ key }) => key.owner]] },
    currency: { head: "Currency", cell: ({ key }) => key.currency, file: [["currency", ({ key }) => key.currency]] },
    balance: {
      head: "Balance",
      kind: "num",
      cell: ({ balanceMinor, key }) => signed(balanceMinor, key.currency),
      file: [["balance", ({ balanceMinor, key }) => amountInFile(balanceMinor, key.currency)]]
    }
  }) satisfies Columns<Account>

export const ledgerPage: ConsolePage = {
  path: "ledger",
  room: "ledger",
  role: "viewer",
  csv: csvOf<Account>("money", "accounts", accountColumns, ({ environment }, page) =>
    Effect.flatMap(Ledger, (ledger) => ledger.balances(environment, page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Ledger).balances(view.environment, sliceOf(view))
    const owners = yield* ownersOf(found.data.map(({ key }) => key))
    const rows = table<Account>("Accounts", Object.values(accountColumns({ view, names: owners })), found.data)
    return {
      title: "Ledger",
      body: html`${head({
        title: "Ledger",
        acts: html`${button(view.href("ledger/post"), "right", "Post a transfer…")}${button(view.href("ledger/trial-balance"), "scale", "Trial balance")}${csvButton(view)}${lookAgain(view)}`
      })}
<section class="panel" aria-label="Accounts">${
        found.data.length === 0
          ? empty("book", "No accounts yet", "The first settled payment opens a merchant’s settlement account.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}

const otherSide = ({ side, transfer }: AccountPosting): AccountKey =>
  side === "DEBIT" ? transfer.credit : transfer.debit

const postingColumns = ({ names, view }: Shown) => {
  const amountAt = (wanted: AccountPosting["side"]) => (posting: AccountPosting) =>
    posting.side === wanted ? amountOf(posting.transfer.amount) : undefined
  return {
    at: {
      head: "Time",
      kind: "time",
      cell: ({ transfer }) => timeIn(view, transfer.at),
      file: [["at", ({ transfer }) => csvTime(transfer.at)]]
    },
    kind: {
      head: "What",
      kind: "key",
      cell: ({ transfer }) =>
        html`<a href="${view.href(`ledger/transfers/${transfer.id}`)}">${transferWords(transfer)}</a>`,
      file: [
        ["transfer_id", ({ transfer }) => transfer.id],
        ["kind", ({ transfer }) => transfer.kind]
      ]
    },
    cause: {
      head: "Cause",
      cell: ({ transfer }) => causeLink(view, transfer),
      file: [["cause", ({ transfer }) => transfer.cause]]
    },
    other: {
      head: "Other side",
      kind: "wide",
      cell: (posting) => html`${kindWords[otherSide(posting).kind]} ${ownerOf(view, names, otherSide(posting))}`,
      file: [["other_account_id", (posting) => accountId(otherSide(posting))]]
    },
    debit: {
      head: "Debit",
      kind: "num",
      cell: amountAt("DEBIT"),
      label: "debit",
      file: [["side", ({ side }) => side]]
    },
    credit: {
      head: "Credit",
      kind: "num",
      cell: amountAt("CREDIT"),
      label: "credit",
      file: [
        ["currency", ({ transfer }) => transfer.amount.currency],
        ["amount", ({ transfer }) => format(transfer.amount)]
      ]
    }
  } satisfies Columns<AccountPosting>
}

export const ledgerAccountPage: ConsolePage = {
  path: "ledger/accounts/:accountId",
  room: "ledger",
  role: "viewer",
  csv: csvOf<AccountPosting>("money", "statement", postingColumns, (view, page) => {
    const account = parseAccountId(view.param("accountId"))
    return Option.isSome(account) && account.value.environment === view.environment
      ? Effect.flatMap(Ledger, (ledger) => ledger.postings(account.value, page))
      : Effect.fail(new RecordMissing())
  }),
  show: Effect.fnUntraced(function* (view) {
    const account = parseAccountId(view.param("accountId"))
    if (Option.isNone(account) || account.value.environment !== view.environment) return yield* new RecordMissing()
    const found = yield* (yield* Ledger).postings(account.value, sliceOf(view))
    // An account without postings does not exist, because the first posting opens it.
    if (found.data.length === 0 && !view.query.has("cursor")) return yield* new RecordMissing()
    const { currency, kind } = account.value
    const balance = Option.getOrElse(yield* (yield* Ledger).balance(account.value), () => 0n)
    const owners = yield* ownersOf([account.value, ...found.data.map(otherSide)])
    return {
      title: `${kindWords[kind]}, statement`,
      body: html`${head({
        crumb: html`<a href="${view.href("ledger")}">Ledger</a> /`,
        title: html`${kindWords[kind]} <span class="soft">in ${currency}</span>`,
        meta: html`<span>${ownerOf(view, owners, account.value)}</span><span>Balance <b>${currency} ${signed(balance, currency)}</b></span>`,
        acts: html`${csvButton(view)}${lookAgain(view)}`
      })}
<section class="panel" aria-label="Statement">${table<AccountPosting>(
        "Statement",
        Object.values(postingColumns({ view, names: owners })),
        found.data
      )}${pager(view, found)}</section>`
    }
  })
}

const readTransferId = Schema.decodeUnknownEffect(TransferId)

export const transferPage: ConsolePage = {
  path: "ledger/transfers/:transferId",
  room: "ledger",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const id = yield* orMissing(readTransferId(view.param("transferId")))
    const found = yield* (yield* Ledger).transfer(view.environment, id)
    if (Option.isNone(found)) return yield* new RecordMissing()
    const transfer = found.value
    const owners = yield* ownersOf([transfer.debit, transfer.credit])
    const account = (key: AccountKey) =>
      html`<a href="${view.href(`ledger/accounts/${accountId(key)}`)}">${kindWords[key.kind]}</a> of ${ownerOf(view, owners, key)}`
    return {
      title: `Transfer of ${moneyOf(transfer.amount)}`,
      body: html`${head({
        crumb: html`<a href="${view.href("ledger")}">Ledger</a> /`,
        title: html`<span class="soft">Transfer of</span> ${moneyOf(transfer.amount)}`,
        meta: wholeId(id)
      })}
<div class="mid">${panel(
        "Details",
        facts([
          ["Kind", transferWords(transfer)],
          ["From", account(transfer.debit)],
          ["To", account(transfer.credit)],
          ["When", view.times.moment(transfer.at)],
          ["Cause", causeLink(view, transfer)],
          ["Operators", html`<a href="${view.href("audit", { record: id })}">Operators’ actions</a>`]
        ])
      )}</div>`
    }
  })
}
