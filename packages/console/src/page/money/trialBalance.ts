import { isBalanced } from "@surety/core/ledger/Audits"
import { Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { html } from "@surety/page-kit/Html"
import { Effect } from "effect"
import type { Columns } from "../../screen/columns.js"
import { csvButton, csvOf } from "../../screen/csv.js"
import { empty, head, lookAgain, panel, state } from "../../screen/parts.js"
import { table } from "../../screen/tables.js"
import type { ConsolePage } from "../ConsolePage.js"
import { amountInFile, signed } from "./ledger.js"

const balanceColumns = () =>
  ({
    currency: {
      head: "Currency",
      kind: "key",
      cell: ({ currency }) => html`<b>${currency}</b>`,
      file: [["currency", ({ currency }) => currency]]
    },
    debits: {
      head: "Debits",
      kind: "num",
      cell: ({ currency, debitsMinor }) => signed(debitsMinor, currency),
      label: "debits",
      file: [["debits", ({ currency, debitsMinor }) => amountInFile(debitsMinor, currency)]]
    },
    credits: {
      head: "Credits",
      kind: "num",
      cell: ({ creditsMinor, currency }) => signed(creditsMinor, currency),
      label: "credits",
      file: [["credits", ({ creditsMinor, currency }) => amountInFile(creditsMinor, currency)]]
    },
    state: {
      head: "State",
      cell: (line) => (isBalanced(line) ? state("ok", "Balanced") : state("bad", "Does not balance")),
      file: [["balanced", (line) => String(isBalanced(line))]]
    }
  }) satisfies Columns<TrialBalanceLine>

/**
 * `ledger/trial-balance`: the environment's trial balance. Each request sums all unaudited transfers of both
 * environments, which may take seconds.
 */
export const trialBalancePage: ConsolePage = {
  path: "ledger/trial-balance",
  room: "ledger",
  role: "money",
  csv: csvOf<TrialBalanceLine>("money", "trial-balance", balanceColumns, ({ environment }) =>
    Effect.gen(function* () {
      const lines = yield* (yield* Ledger).trialBalance
      return { data: lines.filter((line) => line.environment === environment), nextCursor: undefined }
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const all = yield* (yield* Ledger).trialBalance
    const lines = all.filter(({ environment }) => environment === view.environment)
    return {
      title: "Trial balance",
      body: html`${head({ crumb: html`<a href="${view.href("ledger")}">Ledger</a> /`, title: "Trial balance", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${panel(
  "Every posting, summed",
  lines.length === 0
    ? empty("scale", "No postings yet", "They come with the first settled payment.")
    : table<TrialBalanceLine>("Trial balance", Object.values(balanceColumns()), lines),
  {
    foot: html`<span><a href="${view.href("overview")}">Check the books</a> to compare stored balances, receipts and events too.</span>`
  }
)}`
    }
  })
}
