import type { ChainReport } from "@surety/core/consent/receipt/Receipts"
import * as ReceiptBook from "@surety/core/consent/receipt/Receipts"
import { Environment } from "@surety/core/Environment"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as Money from "@surety/core/Money"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { withApp } from "./withApp.js"

const readAtOnce = 100

/** Calls `visit` for every merchant in each environment. */
const forEachScope = Effect.fnUntraced(function* <E, R>(visit: (scope: MerchantScope) => Effect.Effect<void, E, R>) {
  const merchants = yield* MerchantStore
  let cursor: string | undefined
  do {
    const page = yield* merchants.list({ limit: readAtOnce, cursor })
    for (const { id } of page.data) {
      for (const environment of Environment.literals) yield* visit({ merchantId: id, environment })
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
})

/** Follows every chain of receipts, tells where each ends, and answers how many faults there are. */
const checkChains = Effect.gen(function* () {
  const { verifyChain } = yield* ReceiptBook.make
  let found = 0
  const tell = ({ environment, merchantId }: MerchantScope, { end, faults, receipts }: ChainReport) =>
    Effect.gen(function* () {
      if (receipts === 0 && faults.length === 0) return
      yield* Console.log(`${merchantId} ${environment} receipts ${receipts} end ${end.hash}`)
      for (const { reason, sequence } of faults) {
        found += 1
        yield* Console.log(`FAULT receipt_chains_unbroken: ${merchantId}/${environment}/${sequence}: ${reason}`)
      }
    })
  yield* forEachScope((scope) => Effect.flatMap(verifyChain(scope), (report) => tell(scope, report)))
  return found
})

const check = Effect.gen(function* () {
  const ledger = yield* Ledger
  const lines = yield* ledger.trialBalance
  const faults = yield* ledger.audit
  const unbalanced = lines.filter(({ creditsMinor, debitsMinor }) => creditsMinor !== debitsMinor)
  for (const { creditsMinor, currency, debitsMinor, environment } of lines) {
    const [debits, credits] = [debitsMinor, creditsMinor].map((minor) => Money.format({ currency, minor }))
    yield* Console.log(`${environment} ${currency} debits ${debits} credits ${credits}`)
  }
  for (const fault of faults) yield* Console.log(`FAULT ${fault.check}: ${fault.subject}: ${fault.detail}`)
  if (faults.length > 0) yield* Console.log("The amounts of these faults are in minor units.")
  const chainFaults = yield* checkChains
  if (unbalanced.length + faults.length + chainFaults > 0) {
    return yield* new StartFailed({
      message:
        `Surety's records contradict each other: ${unbalanced.length} currencies out of balance, ` +
        `${chainFaults} faults in the chains of receipts, ${faults.length} other faults.`
    })
  }
  yield* Console.log("Everything adds up.")
})

/** `surety verify`: whether what is stored twice agrees. The exit code says so. */
export const verify = Command.make("verify", {}, () => withApp("read", check)).pipe(
  Command.withDescription(
    "Check that the ledger balances, balances equal the fold of their postings, refunded totals equal the refunds, " +
      "every consent has its receipt, every chain of receipts is unbroken, and no event lacks its commit. Exits with 1 where they do not."
  )
)
