import { Environment } from "@surety/core/Environment"
import { Ledger } from "@surety/core/ledger/Ledger"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainBalance, plainTrialBalance } from "../record/Money.js"
import { pagingFields, readHostPage } from "./paging.js"

/** The books, to be read. Balances and sums are bigints in minor units. */
export const ledger = (run: Run) => ({
  balances: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Ledger, (service) =>
      Effect.map(
        readHostPage(["operator.balances", environment], page, (request) => service.balances(environment, request)),
        (found) => toPage(found, plainBalance)
      )
    )
  ),

  /** Sums every posting, without reading stored balances. */
  trialBalance: () => run(Effect.flatMap(Ledger, (service) => Effect.map(service.trialBalance, plainTrialBalance))),

  /** Compares redundant records. An empty list means that they agree. */
  audit: () => run(Effect.flatMap(Ledger, (service) => service.audit))
})
