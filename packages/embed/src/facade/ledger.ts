import { Environment } from "@surety/core/Environment"
import { Ledger } from "@surety/core/ledger/Ledger"
import { toPage } from "@surety/http/field/Paging"
import {
  BalanceRecord,
  balanceRecord,
  TrialBalanceRecord,
  trialBalanceRecord
} from "@surety/http/operator/LedgerRecord"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { pagingFields, readPage } from "./paging.js"

const balance = plain(BalanceRecord)
const trialBalance = plain(TrialBalanceRecord)

/** Read side of the ledger. Balances and sums are strings of minor units. */
export const ledger = (run: Run) => ({
  balances: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Ledger, (service) =>
      Effect.map(
        readPage(["operator.balances", environment], page, (request) => service.balances(environment, request)),
        (found) => toPage(found, (account) => balance(balanceRecord(account)))
      )
    )
  ),

  /** Sums every posting, without reading stored balances. */
  trialBalance: () =>
    run(
      Effect.flatMap(Ledger, (service) =>
        Effect.map(service.trialBalance, (lines) => trialBalance(trialBalanceRecord(lines)))
      )
    ),

  /** Compares redundant records. An empty list means that they agree. */
  audit: () => run(Effect.flatMap(Ledger, (service) => service.audit))
})
