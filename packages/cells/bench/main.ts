// node packages/cells/bench/main.ts [--quick]
//
// Refunds a second of one process on one PostgreSQL, on cells of it, of two servers and of Citus, how many transactions a
// refund commits on which server, and what the directory's lookup costs. Prints a report as JSON. See docs/bench.md.
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as CellStores from "@surety/cells/CellStores"
import { CellName } from "@surety/cells/Cells"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { moveMerchant } from "@surety/cells/move/moveMerchant"
import * as PgCells from "@surety/cells/PgCells"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as TestCitus from "@surety/testing/machine/TestCitus"
import { make as makeDatabase } from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import {
  type Array as Arr,
  Console,
  type Context,
  Duration,
  Effect,
  Layer,
  Option,
  type Redacted,
  References,
  Schema,
  type Scope
} from "effect"
import { makeRouter } from "../dist/route/Router.js"

const { values } = parseArgs({ options: { quick: { type: "boolean" } } })
const pace = values.quick === true ? { rounds: 1, roundSeconds: 1 } : { rounds: 5, roundSeconds: 3 }
const merchantCount = 64
const paymentsEach = values.quick === true ? 4 : 16
const refundsAtOnce = 64
const refundsAlone = 50
/** Refunds of the merchant that is moved. */
const largeMerchant = values.quick === true ? 200 : 5_000
const lookups = 200_000

type Ports = MerchantStore | ConsumerStore | PaymentStore | RefundStore

/** A database server whose transactions are counted. */
interface Server {
  readonly url: Redacted.Redacted
}

interface Subject {
  readonly name: string
  /** Of Citus: counts commits in two phases, which it keeps a record of. */
  readonly twoPhase?: Effect.Effect<number, unknown>
  readonly servers: ReadonlyArray<Server>
  readonly stores: Context.Context<Ports>
  readonly sales: ReadonlyArray<FreshPayment.Sale>
  readonly rounds: Array<{ readonly perSecond: number; readonly processMicros: number }>
}

const say = (text: string): Effect.Effect<void> => Console.error(text)

/** No autovacuum: it would begin transactions of its own. */
const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "256MB", autovacuum: "off" }

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ next: Schema.BigIntFromString })]))

/** How many writing transactions each server has begun. */
const writesOf = ({ servers }: Pick<Subject, "servers">) =>
  Effect.forEach(servers, ({ url }) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql`select pg_snapshot_xmax(pg_current_snapshot())::text as next`
      const [{ next }] = yield* decodeCount(rows)
      return Number(next)
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
  )

const migrateIn = (url: Redacted.Redacted, schema: string) =>
  Effect.scoped(
    Layer.build(
      PgMigrations.layer.pipe(
        Layer.provide(PgSettings.layer({ schema })),
        Layer.provide(PgClient.layer({ url, maxConnections: 1 }))
      )
    )
  )

const patience = { operationTimeoutMillis: 30_000 }

/** One store, without cells. */
const alone = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  yield* migrateIn(url, "surety")
  return yield* Layer.build(
    PgStores.layer.pipe(
      Layer.provide(PgClient.layer({ url, maxConnections: 16 })),
      Layer.provide(PgSettings.layer(patience)),
      Layer.provide(DeliverySignal.layer)
    )
  )
})

/** Stores over cells, the first one home, and its directory beside it. */
const overCells = Effect.fnUntraced(function* (cells: Arr.NonEmptyReadonlyArray<PgCells.PgCell>) {
  const [home] = cells
  yield* DirectoryTables.migrate().pipe(Effect.provide(PgClient.layer({ url: home.url, maxConnections: 1 })))
  for (const { schema, url } of cells) yield* migrateIn(url, schema)
  return yield* Layer.build(
    CellStores.layer.pipe(
      Layer.provideMerge(PgCells.layer({ cells, maxConnections: 16, settings: patience })),
      Layer.provideMerge(PgCellDirectory.layer()),
      Layer.provide(PgClient.layer({ url: home.url, maxConnections: 8 })),
      Layer.provide(DeliverySignal.layer)
    )
  )
})

const east = CellName.make("east")
const west = CellName.make("west")

const cell = (name: CellName, url: Redacted.Redacted): PgCells.PgCell => ({
  name,
  url,
  schema: `cell_${name}`
})

const seed = Effect.gen(function* () {
  const scopes = yield* Effect.forEach(Array.from({ length: merchantCount }), () =>
    Effect.map(FreshMerchant.make(), (merchant) => FreshMerchant.scopeOf(merchant))
  )
  const sales = Array.from({ length: paymentsEach }, () => scopes).flat()
  return yield* Effect.forEach(sales, (scope) => FreshPayment.settled({ scope, amountMinor: 900_000_000n }), {
    concurrency: 16
  })
})

const subjectOf = Effect.fnUntraced(function* (
  name: string,
  servers: ReadonlyArray<Server>,
  made: Context.Context<Ports>
) {
  yield* say(`Filling ${name}`)
  const sales = yield* Effect.provideContext(seed, made)
  const subject: Subject = { name, servers, stores: made, sales, rounds: [] }
  return subject
})

const refundOf = ({ sales, stores }: Subject, place: number) => {
  const sale = sales[place % sales.length]
  return sale === undefined
    ? Effect.void
    : Effect.provideContext(RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n }), stores)
}

/** Refunds from `refundsAtOnce` fibers, for this many seconds. */
const round = Effect.fnUntraced(function* (subject: Subject, seconds: number) {
  let done = 0
  let next = 0
  const began = performance.now()
  const until = began + seconds * 1_000
  const cpu = process.cpuUsage()
  const one = Effect.suspend(() => {
    next += 1
    return Effect.map(refundOf(subject, next), () => {
      done += 1
    })
  })
  yield* Effect.forEach(
    Array.from({ length: refundsAtOnce }),
    () => Effect.repeat(one, { while: () => performance.now() < until }),
    { concurrency: "unbounded", discard: true }
  )
  const { system, user } = process.cpuUsage(cpu)
  return { perSecond: (done / (performance.now() - began)) * 1_000, processMicros: (system + user) / done }
})

/** Writing transactions a refund, on the server that has most of them, and on all others. */
const commitsOf = Effect.fnUntraced(function* (subject: Subject) {
  const [sale] = subject.sales
  if (sale === undefined) return { there: 0, elsewhere: 0, inTwoPhases: 0 }
  const twoPhase = subject.twoPhase ?? Effect.succeed(0)
  const before = yield* writesOf(subject)
  const known = yield* twoPhase
  const refunds = Array.from({ length: refundsAlone }, () =>
    Effect.provideContext(RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n }), subject.stores)
  )
  yield* Effect.all(refunds, { discard: true })
  const after = yield* writesOf(subject)
  const begun = after.map((count, place) => (count - (before[place] ?? 0)) / refundsAlone)
  const there = Math.max(...begun)
  const inTwoPhases = (yield* twoPhase) - known
  return { there, elsewhere: begun.reduce((sum, count) => sum + count, 0) - there, inTwoPhases }
})

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

/** Microseconds of a merchant's lookup, once it is known. */
const lookupMicros = Effect.gen(function* () {
  const { cellOf } = yield* makeRouter
  const merchant = yield* FreshMerchant.make()
  yield* cellOf(merchant.id)
  const measure = Effect.gen(function* () {
    const cpu = process.cpuUsage()
    for (let turn = 0; turn < lookups; turn += 1) yield* cellOf(merchant.id)
    const { system, user } = process.cpuUsage(cpu)
    return (system + user) / lookups
  })
  yield* measure
  return yield* measure
})

/** Moves the first merchant to the other cell, while nothing else runs. */
const moveOf = Effect.fnUntraced(function* ({ sales, stores }: Subject) {
  const [sale] = sales
  if (sale === undefined) return { rows: 0, refusedMillis: 0 }
  const { cellOf } = yield* makeRouter
  const to = (yield* cellOf(sale.scope.merchantId)) === "east" ? west : east
  const own = sales.filter(({ scope }) => scope.merchantId === sale.scope.merchantId)
  yield* Effect.forEach(
    Array.from({ length: largeMerchant }, (_, place) => own[place % own.length] ?? sale),
    ({ payment, scope }) => Effect.provideContext(RefundAttempt.executed(scope, payment, { amountMinor: 1n }), stores),
    { concurrency: own.length, discard: true }
  )
  const { refusedFor, rows } = yield* moveMerchant(sale.scope.merchantId, to)
  return { rows, refusedMillis: Option.match(refusedFor, { onNone: () => 0, onSome: Duration.toMillis }) }
})

const databaseOn = ({ url }: Server) => Effect.map(makeDatabase(url), (made) => made.url)

const start = TestPostgres.start({ durable: true, settings })

const citusName = "two cells on Citus, two workers"

/** The cells of Citus are distributed schemas; all statements go by the coordinator. */
const onCitus = Effect.gen(function* () {
  if (process.env.CITUS_NATIVE === undefined) {
    yield* say("CITUS_NATIVE is not set: Citus is not measured")
    return []
  }
  const { coordinator, workers } = yield* TestCitus.start({ durable: true, schemas: ["cell_east", "cell_west"] })
  const stores = yield* overCells([cell(east, coordinator), cell(west, coordinator)])
  return [
    yield* subjectOf(
      "two cells on Citus, two workers",
      [coordinator, ...workers].map((url) => ({ url })),
      stores
    )
  ]
})

const bench = Effect.gen(function* () {
  yield* say("Starting PostgreSQL")
  const first = yield* start
  const second = yield* start
  const one = yield* alone(yield* databaseOn(first))
  const single = yield* overCells([cell(east, yield* databaseOn(first))])
  const shared = yield* databaseOn(first)
  const two = yield* overCells([cell(east, shared), cell(west, shared)])
  const apart = yield* overCells([cell(east, yield* databaseOn(first)), cell(west, yield* databaseOn(second))])
  const subjects = [
    yield* subjectOf("one PostgreSQL", [first, second], one),
    yield* subjectOf("one cell", [first, second], single),
    yield* subjectOf("two cells on one PostgreSQL", [first, second], two),
    yield* subjectOf("two cells on two servers", [first, second], apart),
    ...(yield* onCitus)
  ]
  for (const subject of subjects) yield* round(subject, pace.roundSeconds)
  for (let turn = 0; turn < pace.rounds; turn += 1) {
    for (const subject of subjects) {
      yield* say(`Measuring ${subject.name}`)
      subject.rounds.push(yield* round(subject, pace.roundSeconds))
    }
  }
  const lines: Array<Record<string, string | number>> = []
  for (const subject of subjects) {
    const { elsewhere, inTwoPhases, there } = yield* commitsOf(subject)
    lines.push({
      subject: subject.name,
      perSecond: median(subject.rounds.map(({ perSecond }) => perSecond)),
      processMicros: median(subject.rounds.map(({ processMicros }) => processMicros)),
      commits: there.toFixed(2),
      "commits elsewhere": elsewhere.toFixed(2),
      "in two phases": inTwoPhases
    })
  }
  yield* say("Moving a merchant")
  const apartSubject = subjects.find(({ name }) => name === "two cells on two servers")
  const moved =
    apartSubject === undefined
      ? { rows: 0, refusedMillis: 0 }
      : yield* Effect.provideContext(moveOf(apartSubject), apart)
  const micros = yield* Effect.provideContext(lookupMicros, two)
  const perSecond = (name: string): number => Number(lines.find(({ subject }) => subject === name)?.perSecond ?? 0)
  // Citus begins transactions of its own on either side; what would cost is a commit in two phases.
  const isLocal = lines.every((line) =>
    line.subject === citusName
      ? line["in two phases"] === 0
      : line.commits === "1.00" && line["commits elsewhere"] === "0.00"
  )
  const citus = subjects.length > 4 ? { citusPerSecond: perSecond(citusName) } : {}
  const versions = { PostgreSQL: "18.4", Effect: createRequire(import.meta.url)("effect/package.json").version }
  yield* Console.log(
    JSON.stringify({
      cells: {
        versions,
        settings: { ...pace, merchants: merchantCount, refundsAtOnce },
        lines,
        goals: [
          {
            what: "a refund commits once, on its merchant's server, and nowhere else; on Citus in one phase",
            goal: "all",
            measured: lines.map((line) => `${line.commits} + ${line["commits elsewhere"]}`).join(", "),
            isMet: isLocal
          },
          {
            what: "lookup of a merchant's cell that is remembered",
            goal: "under 2 µs",
            measured: `${micros.toFixed(2)} µs`,
            isMet: micros < 2
          }
        ],
        figures: {
          onePerSecond: perSecond("one PostgreSQL"),
          oneCellPerSecond: perSecond("one cell"),
          twoCellsPerSecond: perSecond("two cells on one PostgreSQL"),
          twoServersPerSecond: perSecond("two cells on two servers"),
          ...citus,
          movedRows: moved.rows,
          movedMillis: moved.refusedMillis,
          lookupMicros: micros
        }
      }
    })
  )
})

// Standard output carries the report alone.
const run: Effect.Effect<void, unknown, Scope.Scope> = Effect.provideService(bench, References.MinimumLogLevel, "None")
await Effect.runPromise(Effect.scoped(run)).catch((failure: unknown) => {
  console.error(failure)
  process.exitCode = 1
})
