import { Environment } from "@surety/core/Environment"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import type { TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { Schema } from "effect"

const MinorUnits = Schema.String.annotate({
  description: "Minor units, as text: sums can be longer than a JSON number."
})

/** An account of the ledger and its balance: credits less debits. */
export const BalanceRecord = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String.annotateKey({ description: "A user's id, a merchant's id, or platform." }),
  currency: Schema.String,
  balance: MinorUnits
}).annotate({ identifier: "Balance" })

const TrialBalanceLineRecord = Schema.Struct({
  environment: Environment,
  currency: Schema.String,
  debits: MinorUnits,
  credits: MinorUnits
}).annotate({ identifier: "TrialBalanceLine" })

/** Whether debits equal credits in every environment and currency (contract 15). */
export const TrialBalanceRecord = Schema.Struct({
  balanced: Schema.Boolean,
  lines: Schema.Array(TrialBalanceLineRecord)
}).annotate({ identifier: "TrialBalance" })

export const balanceRecord = ({ balanceMinor, key }: Account): typeof BalanceRecord.Type => ({
  ...key,
  balance: balanceMinor.toString()
})

export const trialBalanceRecord = (lines: ReadonlyArray<TrialBalanceLine>): typeof TrialBalanceRecord.Type => ({
  balanced: lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor),
  lines: lines.map(({ creditsMinor, currency, debitsMinor, environment }) => ({
    environment,
    currency,
    debits: debitsMinor.toString(),
    credits: creditsMinor.toString()
  }))
})
