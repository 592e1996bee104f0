import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantId } from "@surety/core/Ids"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import * as Audits from "@surety/core/ledger/Audits"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import * as Money from "@surety/core/Money"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CellDatabases from "../cells/CellDatabases.js"
import { chosenCells } from "../cells/eachDatabase.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"
import { settings } from "./environment.js"
import { withApp } from "./withApp.js"

/** Prints the faults and the end of each receipt chain. Returns the number of faults in the chains. */
const tell = Effect.fnUntraced(function* (
  faults: ReadonlyArray<LedgerFault>,
  chains: ReadonlyArray<Audits.ChainAudit>
) {
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
  return chainFaults
})

const checkMerchant = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const audits = yield* Audits.Audits
  const found = yield* audits.ofMerchant(merchantId, (records) => Console.error(`compared ${records} records`))
  if (Option.isNone(found)) return yield* new StartFailed({ message: `Merchant ${merchantId} not found.` })
  const { chains, faults, records } = found.value
  const chainFaults = yield* tell(faults, chains)
  if (faults.length + chainFaults > 0) {
    return yield* new StartFailed({
      message:
        `The records of ${merchantId} contradict each other: ${chainFaults} faults in its chains of receipts, ` +
        `${faults.length} other faults.`
    })
  }
  yield* Console.log(`${merchantId} ${records} records compared. Everything adds up.`)
})

const checkAll = Effect.fnUntraced(function* (full: boolean) {
  const audits = yield* Audits.Audits
  const { operatorName, verifyWholeUpTo } = yield* settings
  const { chains, faults, isWhole, lines } = yield* audits.run(operatorName, {
    full,
    wholeUpTo: BigInt(verifyWholeUpTo),
    onStep: (transfers) => Console.error(`verified ${transfers} transfers`)
  })
  if (!isWhole)
    yield* Console.log(
      "Of money and receipts, only those committed since the last run were checked. --full checks all."
    )
  for (const { creditsMinor, currency, debitsMinor, environment } of lines) {
    const [debits, credits] = [debitsMinor, creditsMinor].map((minor) => Money.format({ currency, minor }))
    yield* Console.log(`${environment} ${currency} debits ${debits} credits ${credits}`)
  }
  const chainFaults = yield* tell(faults, chains)
  const unbalanced = lines.filter((line) => !Audits.isBalanced(line))
  if (unbalanced.length + faults.length + chainFaults > 0) {
    return yield* new StartFailed({
      message:
        `Surety's records are inconsistent: ${unbalanced.length} currencies out of balance, ` +
        `${chainFaults} faults in receipt chains, ${faults.length} other faults.`
    })
  }
  yield* Console.log("Everything adds up.")
})

/**
 * What to check: one merchant, or all of them. With `full`, a check of all merchants reads the whole books, not only
 * what is new since the last run.
 */
interface Asked {
  readonly full: boolean
  readonly merchant: Option.Option<MerchantId>
}

const check = ({ full, merchant }: Asked) =>
  Option.match(merchant, { onNone: () => checkAll(full), onSome: (id) => checkMerchant(id) })

const full = Flag.Boolean("full").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Verify everything from the beginning, regardless of the size of the books")
)

/** Verifies one cell. The run is not stored, since the console shows runs over all cells. */
const ofCell = (current: Settings, cell: CellSetting, asked: Asked) =>
  Effect.gen(function* () {
    const added = yield* Effect.provide(AddedCells.list(), Database.layer(current))
    const notKept = Layer.succeed(AuditRunStore, { record: () => Effect.void, last: Effect.succeedNone })
    const audits = Audits.layer.pipe(
      Layer.provide(Receipts.layer),
      Layer.provide(NodeCrypto.layer),
      Layer.provide(notKept),
      Layer.provide(PgStores.layer),
      Layer.provide(DeliverySignal.layer)
    )
    yield* Effect.andThen(CellDatabases.requireOwn(cell.name, added), PgMigrations.readiness).pipe(
      Effect.andThen(Effect.provide(check(asked), audits)),
      Effect.provide(CellDatabases.layerOf(current, cell))
    )
  }).pipe(Effect.scoped)

const onlyCell = Flag.String("cell").pipe(
  Flag.withDescription("With CELLS: verify this cell alone, without storing the run; default: all cells together"),
  Flag.optional
)

const merchant = Flag.String("merchant").pipe(
  Flag.withDescription(
    "Check this merchant alone, all of it at any size, without keeping the run: its balances and their transfers, " +
      "refunds and payments, consents, verifications, events and chains of receipts; default: all merchants"
  ),
  Flag.withSchema(MerchantId),
  Flag.optional
)

/**
 * `surety verify`: exits with 1 if redundant records disagree. The result of a check of all merchants in all cells is
 * stored for the console.
 */
export const verify = Command.make("verify", { full, merchant, cell: onlyCell }, (given) =>
  Effect.gen(function* () {
    if (Option.isNone(given.cell)) return yield* withApp("read", check(given))
    const current = yield* settings
    const cells = yield* chosenCells(current, given.cell)
    yield* Effect.provide(
      Effect.forEach(cells, (cell) => ofCell(current, cell, given), { discard: true }),
      Logging.layer(current)
    )
  })
)
