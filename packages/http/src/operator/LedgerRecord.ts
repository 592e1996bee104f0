import { Environment } from "@surety/core/Environment"
import { TransferId } from "@surety/core/Ids"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import { accountId } from "@surety/core/ledger/AccountId"
import type { AccountPosting, TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { TransferKind } from "@surety/core/ledger/Transfer"
import { Schema } from "effect"
import { Timestamp } from "../field/Timestamp.js"

const MinorUnits = Schema.String.annotate({
  description: "Minor units, as a string: sums can exceed what a JSON number holds exactly."
})

/** A ledger account and its balance: credits minus debits. */
export const BalanceRecord = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The account's id in paths." }),
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

/**
 * The total debits and credits for each environment and currency. `balanced` is true if debits equal credits in every
 * line (contract 15).
 */
export const TrialBalanceRecord = Schema.Struct({
  balanced: Schema.Boolean,
  lines: Schema.Array(TrialBalanceLineRecord)
}).annotate({ identifier: "TrialBalance" })

export const balanceRecord = ({ balanceMinor, key }: Account): typeof BalanceRecord.Type => ({
  id: accountId(key),
  ...key,
  balance: balanceMinor.toString()
})

export const PostingRecord = Schema.Struct({
  transferId: TransferId,
  kind: TransferKind,
  side: Schema.Literals(["DEBIT", "CREDIT"]).annotateKey({ description: "CREDIT adds to the balance." }),
  currency: Schema.String,
  amount: MinorUnits,
  otherAccount: Schema.Struct({ id: Schema.String, kind: AccountKind, owner: Schema.String }).annotateKey({
    description: "Where the money came from or went to."
  }),
  cause: Schema.String.annotateKey({ description: "A payment's, a refund's or this transfer's own id." }),
  at: Timestamp
}).annotate({ identifier: "Posting" })

export const postingRecord = ({ side, transfer }: AccountPosting): typeof PostingRecord.Type => {
  const { amount, at, cause, credit, debit, id, kind } = transfer
  const other = side === "DEBIT" ? credit : debit
  return {
    transferId: id,
    kind,
    side,
    currency: amount.currency,
    amount: amount.minor.toString(),
    otherAccount: { id: accountId(other), kind: other.kind, owner: other.owner },
    cause,
    at
  }
}

export const trialBalanceRecord = (lines: ReadonlyArray<TrialBalanceLine>): typeof TrialBalanceRecord.Type => ({
  balanced: lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor),
  lines: lines.map(({ creditsMinor, currency, debitsMinor, environment }) => ({
    environment,
    currency,
    debits: debitsMinor.toString(),
    credits: creditsMinor.toString()
  }))
})
