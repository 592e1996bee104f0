import { Audits, isBalanced } from "@surety/core/ledger/Audits"
import * as Money from "@surety/core/Money"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { settings } from "./environment.js"
import { withApp } from "./withApp.js"

const check = Effect.fnUntraced(function* (full: boolean) {
  const audits = yield* Audits
  const { operatorName, verifyWholeUpTo } = yield* settings
  const { chains, faults, isWhole, lines } = yield* audits.run(operatorName, {
    full,
    wholeUpTo: BigInt(verifyWholeUpTo),
    onStep: (transfers) => Console.error(`verified ${transfers} transfers`)
  })
  if (!isWhole) yield* Console.log("Of money, what was committed since the last run was checked. --full checks all.")
  for (const { creditsMinor, currency, debitsMinor, environment } of lines) {
    const [debits, credits] = [debitsMinor, creditsMinor].map((minor) => Money.format({ currency, minor }))
    yield* Console.log(`${environment} ${currency} debits ${debits} credits ${credits}`)
  }
  for (const fault of faults) yield* Console.log(`FAULT ${fault.check}: ${fault.subject}: ${fault.detail}`)
  if (faults.length > 0) yield* Console.log("The amounts of these faults are in minor units.")
  let chainFaults = 0
  for (const { report, scope } of chains) {
    const { environment, merchantId } = scope
    yield* Console.log(`${merchantId} ${environment} receipts ${report.receipts} end ${report.end.hash}`)
    for (const { reason, sequence } of report.faults) {
      chainFaults += 1
      yield* Console.log(`FAULT receipt_chains_unbroken: ${merchantId}/${environment}/${sequence}: ${reason}`)
    }
  }
  const unbalanced = lines.filter((line) => !isBalanced(line))
  if (unbalanced.length + faults.length + chainFaults > 0) {
    return yield* new StartFailed({
      message:
        `Surety's records contradict each other: ${unbalanced.length} currencies out of balance, ` +
        `${chainFaults} faults in the chains of receipts, ${faults.length} other faults.`
    })
  }
  yield* Console.log("Everything adds up.")
})

const full = Flag.Boolean("full").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Forget what was verified and read everything, regardless of the size of the books")
)

/** `surety verify`: exits with 1 if redundant records disagree. What it found is kept, so that the console can show it. */
export const verify = Command.make("verify", { full }, (given) => withApp("read", check(given.full)))
