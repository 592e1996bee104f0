import { Ledger } from "@surety/core/ledger/Ledger"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { withApp } from "./withApp.js"

const check = Effect.gen(function* () {
  const ledger = yield* Ledger
  const lines = yield* ledger.trialBalance
  const faults = yield* ledger.audit
  const unbalanced = lines.filter(({ creditsMinor, debitsMinor }) => creditsMinor !== debitsMinor)
  for (const { creditsMinor, currency, debitsMinor, environment } of lines) {
    yield* Console.log(`${environment} ${currency} debits ${debitsMinor} credits ${creditsMinor}`)
  }
  for (const fault of faults) yield* Console.log(`FAULT ${fault.check}: ${fault.subject}: ${fault.detail}`)
  if (unbalanced.length + faults.length > 0) {
    return yield* new StartFailed({
      message:
        `Surety's records contradict each other: ${unbalanced.length} currencies out of balance, ` +
        `${faults.length} other faults.`
    })
  }
  yield* Console.log("Everything adds up.")
})

/** `surety verify`: whether what is stored twice agrees. The exit code says so. */
export const verify = Command.make("verify", {}, () => withApp(check)).pipe(
  Command.withDescription(
    "Check that the ledger balances, balances equal the fold of their postings, refunded totals equal the refunds, " +
      "and no event lacks its commit. Exits with 1 where they do not."
  )
)
