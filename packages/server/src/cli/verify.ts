import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as EnteredCells from "@surety/cells/directory/EnteredCells"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import * as Audits from "@surety/core/ledger/Audits"
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

const check = Effect.fnUntraced(function* (full: boolean) {
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

const full = Flag.Boolean("full").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Verify everything from the beginning, regardless of the size of the books")
)

/** Verifies one cell. The run is not stored, since the console shows runs over all cells. */
const ofCell = (current: Settings, cell: CellSetting, isFull: boolean) =>
  Effect.gen(function* () {
    const entered = yield* Effect.provide(EnteredCells.list(), Database.layer(current))
    const notKept = Layer.succeed(AuditRunStore, { record: () => Effect.void, last: Effect.succeedNone })
    const audits = Audits.layer.pipe(
      Layer.provide(Receipts.layer),
      Layer.provide(NodeCrypto.layer),
      Layer.provide(notKept),
      Layer.provide(PgStores.layer),
      Layer.provide(DeliverySignal.layer)
    )
    yield* Effect.andThen(CellDatabases.requireOwn(cell.name, entered), PgMigrations.readiness).pipe(
      Effect.andThen(Effect.provide(check(isFull), audits)),
      Effect.provide(CellDatabases.layerOf(current, cell))
    )
  }).pipe(Effect.scoped)

const onlyCell = Flag.String("cell").pipe(
  Flag.withDescription("With CELLS: verify this cell alone, without storing the run; default: all cells together"),
  Flag.optional
)

/** `surety verify`: exits with 1 if redundant records disagree. The result is stored for the console. */
export const verify = Command.make("verify", { full, cell: onlyCell }, (given) =>
  Effect.gen(function* () {
    if (Option.isNone(given.cell)) return yield* withApp("read", check(given.full))
    const current = yield* settings
    const cells = yield* chosenCells(current, given.cell)
    yield* Effect.provide(
      Effect.forEach(cells, (cell) => ofCell(current, cell, given.full), { discard: true }),
      Logging.layer(current)
    )
  })
)
