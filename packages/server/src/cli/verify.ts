import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantId } from "@surety/core/Ids"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import * as Audits from "@surety/core/ledger/Audits"
import type { LedgerFault, MerchantAuditStep } from "@surety/core/ledger/Ledger"
import * as Money from "@surety/core/Money"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { Console, Context, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CellDatabases from "../cells/CellDatabases.js"
import { chosenCells } from "../cells/eachDatabase.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"
import { settings } from "./environment.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { withApp } from "./withApp.js"

const lineOf = ({ check, detail, subject }: LedgerFault): string => `FAULT ${check}: ${subject}: ${detail}`

const unitNote = "The amounts of these faults are in minor units."

const tellChains = Effect.fnUntraced(function* (chains: ReadonlyArray<Audits.ChainAudit>) {
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

/** Makes a function that prints a line of progress, unless it equals the line before. */
const makeProgress = () => {
  let last: string | undefined
  return (line: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (line === last) return Effect.void
      last = line
      return Console.error(line)
    })
}

/** The place at which a merchant's audit resumes, and the number of faults already printed. */
interface Resumed {
  readonly place: string | undefined
  readonly earlier: number
}

/** Parses the value of `--from`: a number of faults, a dot and the place. */
const resumed = (value: string | undefined): Resumed => {
  const [, earlier = "0", place = value] = /^(\d{1,9})\.(.+)$/su.exec(value ?? "") ?? []
  return { place, earlier: Number(earlier) }
}

/** Audits the merchant. Prints new faults after each step, and how to resume an audit that ends early. */
const auditOf = Effect.fnUntraced(function* (merchantId: MerchantId, { earlier, place: from }: Resumed) {
  const audits = yield* Audits.Audits
  const printed = new Set<string>()
  const progress = makeProgress()
  let resume: string | undefined
  const onStep = Effect.fnUntraced(function* ({ faults, next, records }: MerchantAuditStep) {
    const lines = faults.map(lineOf).filter((line) => !printed.has(line))
    for (const line of lines) {
      printed.add(line)
      yield* Console.log(line)
    }
    yield* progress(`compared ${records} records`)
    // The last step has no `next`. If the audit ends early after it, while receipts are checked, resuming repeats the
    // step.
    if (next !== undefined) resume = `${earlier + printed.size}.${next}`
  })
  const hint = Effect.suspend(() =>
    resume === undefined
      ? Effect.void
      : Console.error(`Ended early. To resume: surety verify --merchant ${merchantId} --from ${resume}`)
  )
  return yield* audits.ofMerchant(merchantId, { onStep, ...(from === undefined ? {} : { from }) }).pipe(
    Effect.catchTag("AuditPlaceUnknown", () => {
      const isOurs = resume !== undefined
      resume = undefined
      return Effect.fail(
        new StartFailed({
          message: isOurs
            ? `${merchantId} moved to another cell during the audit. Begin the audit again.`
            : `The value of --from does not belong to an audit of ${merchantId} by this version and in this cell. ` +
              "Use the one printed when that audit ended early, or omit --from."
        })
      )
    }),
    Effect.onError(() => hint)
  )
})

const checkMerchant = Effect.fnUntraced(function* (merchantId: MerchantId, from: string | undefined) {
  const start = resumed(from)
  const found = yield* auditOf(merchantId, start)
  if (Option.isNone(found)) return yield* new StartFailed({ message: `Merchant ${merchantId} not found.` })
  const { chains, faults, records } = found.value
  if (faults.length > 0) yield* Console.log(unitNote)
  const chainFaults = yield* tellChains(chains)
  if (faults.length + chainFaults + start.earlier > 0) {
    const before = start.earlier > 0 ? `, ${start.earlier} printed before it was resumed` : ""
    return yield* new StartFailed({
      message:
        `The records of ${merchantId} contradict each other: ${chainFaults} faults in its chains of receipts, ` +
        `${faults.length} other faults${before}.`
    })
  }
  const part = from === undefined ? "" : " from the given place on"
  yield* Console.log(`${merchantId} ${records} records compared${part}. Everything adds up.`)
})

const checkAll = Effect.fnUntraced(function* (full: boolean) {
  const audits = yield* Audits.Audits
  const { operatorName, verifyWholeUpTo } = yield* settings
  const progress = makeProgress()
  const { chains, faults, isWhole, lines } = yield* audits.run(operatorName, {
    full,
    wholeUpTo: BigInt(verifyWholeUpTo),
    onStep: (transfers) => progress(`verified ${transfers} transfers`)
  })
  if (!isWhole)
    yield* Console.log(
      "Only records committed since the last run, and consents and verifications of the last two days, were checked. " +
        "--full checks all."
    )
  for (const { creditsMinor, currency, debitsMinor, environment } of lines) {
    const [debits, credits] = [debitsMinor, creditsMinor].map((minor) => Money.format({ currency, minor }))
    yield* Console.log(`${environment} ${currency} debits ${debits} credits ${credits}`)
  }
  for (const fault of faults) yield* Console.log(lineOf(fault))
  if (faults.length > 0) yield* Console.log(unitNote)
  const chainFaults = yield* tellChains(chains)
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
 * Scope of a check: one merchant, or all merchants. With `full`, a check of all merchants reads the entire books,
 * regardless of their size. `full` does not affect a check of one merchant.
 */
interface Asked {
  readonly full: boolean
  readonly merchant: Option.Option<MerchantId>
  /** Where to resume the merchant's audit. */
  readonly from: Option.Option<string>
}

const check = ({ from, full, merchant }: Asked) =>
  Option.match(merchant, {
    onNone: () => checkAll(full),
    onSome: (id) => checkMerchant(id, Option.getOrUndefined(from))
  })

const full = Flag.Boolean("full").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Verify everything from the beginning, regardless of the size of the books")
)

/**
 * Verifies one cell, or one merchant in it. The run is not stored, since the console shows runs over all cells. Fails
 * with `StartFailed` if the cell has old rows of another cell's merchants. A check of those rows would say nothing
 * about the merchants' records.
 */
const ofCell = (current: Settings, cell: CellSetting, asked: Asked) =>
  Effect.gen(function* () {
    const directory = yield* Effect.map(Layer.build(Database.layer(current)), Context.get(PgClient))
    const added = yield* Effect.provideService(AddedCells.list(), PgClient, directory)
    const notKept = Layer.succeed(AuditRunStore, { record: () => Effect.void, last: Effect.succeedNone })
    const audits = Audits.layer.pipe(
      Layer.provide(Receipts.layer),
      Layer.provide(NodeCrypto.layer),
      Layer.provide(notKept),
      Layer.provide(PgStores.layer),
      Layer.provide(DeliverySignal.layer)
    )
    yield* Effect.all([
      CellDatabases.requireOwn(cell.name, added),
      PgMigrations.readiness,
      CellDatabases.requireNoStrays(cell.name, directory)
    ]).pipe(Effect.andThen(Effect.provide(check(asked), audits)), Effect.provide(CellDatabases.layerOf(current, cell)))
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

const from = Flag.String("from").pipe(
  Flag.withDescription("With --merchant: resume an audit that ended early, at the place that it printed"),
  Flag.optional
)

/**
 * `surety verify`: exits with 1 if redundant records disagree. The result is stored for the console, unless the check
 * covers one merchant or one cell.
 */
export const verify = Command.make("verify", everyMistake({ full, merchant, from, cell: onlyCell }), (given) =>
  Effect.gen(function* () {
    if (Option.isSome(given.from) && Option.isNone(given.merchant)) {
      return yield* new StartFailed({ message: "--from needs --merchant: it resumes the audit of one merchant." })
    }
    if (Option.isNone(given.cell)) return yield* withApp("read", check(given))
    const current = yield* settings
    const cells = yield* chosenCells(current, given.cell)
    yield* Effect.provide(
      Effect.forEach(cells, (cell) => ofCell(current, cell, given), { discard: true }),
      Logging.layer(current)
    )
  })
)
