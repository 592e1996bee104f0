// node packages/cells/bench/main.ts [--quick] [--moves] [--copies N]
//
// Measures one process's refunds per second on one PostgreSQL server with and without cells, on two servers and, with
// `CITUS_NATIVE`, on Citus. Also measures a merchant's moves between two servers, and the CPU time to look up a cached
// cell. Counts a refund's write transactions on its merchant's server and on all others. Prints JSON (docs/bench.md).
//
// `--moves`: measures only the moves. `--copies`: copies of each refund for the move back. `--quick`: fewer and shorter
// rounds, and less data.
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as CellStores from "@surety/cells/CellStores"
import { CellName } from "@surety/cells/Cells"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { moveMerchant } from "@surety/cells/move/moveMerchant"
import { databaseOf } from "@surety/cells/move/Sides"
import * as PgCells from "@surety/cells/PgCells"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { type MerchantId, toUuid } from "@surety/core/Ids"
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

const { values } = parseArgs({
  options: { copies: { type: "string" }, moves: { type: "boolean" }, quick: { type: "boolean" } }
})
const pace = values.quick === true ? { rounds: 1, roundSeconds: 1 } : { rounds: 5, roundSeconds: 3 }
const merchantCount = 64
const paymentsEach = values.quick === true ? 4 : 16
const refundsAtOnce = 64
const refundsAlone = 50
/** Number of refunds to execute for a merchant before its first move. */
const largeMerchant = values.quick === true ? 200 : 5_000
/** Copies of each refund to add before the move back. 14 gives over 200,000 rows; 46 gives over 700,000. */
const copies = Number(values.copies ?? (values.quick === true ? 4 : 14))
const lookups = 200_000

type Ports = MerchantStore | ConsumerStore | PaymentStore | RefundStore

/** A database server whose write transactions are counted. */
interface Server {
  readonly url: Redacted.Redacted
}

interface Subject {
  readonly name: string
  readonly servers: ReadonlyArray<Server>
  readonly stores: Context.Context<Ports>
  readonly sales: ReadonlyArray<FreshPayment.Sale>
  readonly rounds: Array<{ readonly perSecond: number; readonly processMicros: number }>
}

const say = (text: string): Effect.Effect<void> => Console.error(text)

/** Autovacuum is off because its own transactions would be counted. */
const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "256MB", autovacuum: "off" }

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ next: Schema.BigIntFromString })]))

/** Returns each server's next transaction id. Two results differ by the number of write transactions in between. */
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

/**
 * Runs refunds from `refundsAtOnce` fibers for `seconds` seconds. Returns refunds per second, and microseconds of
 * process CPU time per refund.
 */
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

/**
 * Executes `refundsAlone` refunds one after another. Returns write transactions per refund: `there` on the server with
 * the most, and `elsewhere` on all other servers together.
 */
const commitsOf = Effect.fnUntraced(function* (subject: Subject) {
  const [sale] = subject.sales
  if (sale === undefined) return { there: 0, elsewhere: 0 }
  const before = yield* writesOf(subject)
  const refunds = Array.from({ length: refundsAlone }, () =>
    Effect.provideContext(RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n }), subject.stores)
  )
  yield* Effect.all(refunds, { discard: true })
  const after = yield* writesOf(subject)
  const begun = after.map((count, place) => (count - (before[place] ?? 0)) / refundsAlone)
  const there = Math.max(...begun)
  return { there, elsewhere: begun.reduce((sum, count) => sum + count, 0) - there }
})

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

/** Measures microseconds of CPU time per lookup of a merchant whose cell is already cached. */
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

/**
 * Adds `copies` copies of each completed refund of the merchant in the cell, with its event and transfer. Each copy is
 * dated up to 30 days before the original.
 */
const multiply = Effect.fnUntraced(function* (cellName: CellName, merchantId: MerchantId) {
  const { schema, sql } = yield* databaseOf(cellName)
  const own = `'${toUuid(merchantId)}'`
  const copied = (table: string, columns: ReadonlyArray<string>, values: ReadonlyArray<string>, by: string) =>
    sql.unsafe(`insert into ${schema}.${table} (${[...columns, ...values.map((value) => value.split(" as ")[1])].join(", ")})
      select ${[...columns.map((column) => `t.${column}`), ...values.map((value) => value.split(" as ")[0])].join(", ")}
      from copied c join ${schema}.${table} t on t.${by} where t.merchant_id = ${own}`)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`create temporary table copied on commit drop as
        select r.id as former, r.event_id as former_event, ${schema}.uuid_v7(n.at) as id, ${schema}.uuid_v7(n.at) as event,
          ${schema}.uuid_v7(n.at) as transfer, n.at
        from ${schema}.refund r
        cross join lateral (select r.created_at - random() * interval '30 days' as at from generate_series(1, ${copies})) n
        where r.merchant_id = ${own} and r.status = 'COMPLETED'`)
      const scope = ["merchant_id", "environment"]
      yield* copied(
        "event",
        [...scope, "topic", "body"],
        ["c.event as id", "c.at as occurred_at"],
        "id = c.former_event"
      )
      yield* copied(
        "refund",
        [...scope, "payment_id", "fingerprint", "answer", "amount_minor", "status"],
        [
          "c.id as id",
          "c.event as event_id",
          "c.id::text as idempotency_key",
          "c.at as created_at",
          "c.at as completed_at"
        ],
        "id = c.former"
      )
      yield* copied(
        "transfer",
        [...scope, "kind", "currency", "debit_account_id", "credit_account_id", "amount_minor"],
        ["c.transfer as id", "c.id as refund_id", "c.at as at"],
        "refund_id = c.former"
      )
      yield* sql.unsafe(`update ${schema}.payment p
        set refunded_minor = (
          select sum(r.amount_minor) from ${schema}.refund r
          where ${schema}.key_hash(r.payment_id, r.merchant_id, r.environment)
            = ${schema}.key_hash(p.id, p.merchant_id, p.environment)
        )
        where p.merchant_id = ${own} and p.status = 'SETTLED' and p.refunded_minor > 0`)
      yield* sql.unsafe(`update ${schema}.account a set balance_minor =
          coalesce((select sum(t.amount_minor) from ${schema}.transfer t where t.credit_account_id = a.id), 0)
          - coalesce((select sum(t.amount_minor) from ${schema}.transfer t where t.debit_account_id = a.id), 0)
        where a.merchant_id = ${own}`)
    })
  )
  yield* sql.unsafe(`analyze`).unprepared
})

/**
 * Moves the merchant while nothing else runs. Returns the row count, the milliseconds for which its writes were
 * refused, and the duration of the complete move in seconds.
 */
const moved = Effect.fnUntraced(function* (merchantId: MerchantId, to: CellName) {
  const began = performance.now()
  const { refusedFor, rows } = yield* moveMerchant(merchantId, to, { longestStop: Duration.minutes(10) })
  const refusedMillis = Option.match(refusedFor, { onNone: () => 0, onSome: Duration.toMillis })
  return { rows, refusedMillis, wholeSeconds: (performance.now() - began) / 1_000 }
})

/** Measures the first merchant's move with `largeMerchant` more refunds, and its move back after `multiply`. */
const movesOf = Effect.fnUntraced(function* ({ sales, stores }: Subject) {
  const [sale] = sales
  const none = { rows: 0, refusedMillis: 0, wholeSeconds: 0 }
  if (sale === undefined) return { small: none, large: none }
  const { cellOf } = yield* makeRouter
  const from = yield* cellOf(sale.scope.merchantId)
  const to = from === "east" ? west : east
  const own = sales.filter(({ scope }) => scope.merchantId === sale.scope.merchantId)
  yield* Effect.forEach(
    Array.from({ length: largeMerchant }, (_, place) => own[place % own.length] ?? sale),
    ({ payment, scope }) => Effect.provideContext(RefundAttempt.executed(scope, payment, { amountMinor: 1n }), stores),
    { concurrency: own.length, discard: true }
  )
  const small = yield* moved(sale.scope.merchantId, to)
  yield* say("Making it larger")
  yield* multiply(to, sale.scope.merchantId)
  yield* say("Moving it back")
  const large = yield* moved(sale.scope.merchantId, from)
  return { small, large }
}, Effect.scoped)

const databaseOn = ({ url }: Server) => Effect.map(makeDatabase(url), (made) => made.url)

const start = TestPostgres.start({ durable: true, settings })

const citusName = "two cells on Citus, two workers"

/**
 * Starts Citus and returns a list with one subject, or an empty list if `CITUS_NATIVE` is not set. The cells are
 * distributed schemas, and every statement goes through the coordinator.
 */
const onCitus = Effect.gen(function* () {
  if (process.env.CITUS_NATIVE === undefined) {
    yield* say("CITUS_NATIVE is not set: Citus is not measured")
    return []
  }
  const { coordinator, workers } = yield* TestCitus.start({ durable: true, schemas: ["cell_east", "cell_west"] })
  const stores = yield* overCells([cell(east, coordinator), cell(west, coordinator)])
  return [
    yield* subjectOf(
      citusName,
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
  const apartSubject = yield* subjectOf("two cells on two servers", [first, second], apart)
  if (values.moves === true) {
    return yield* Effect.flatMap(Effect.provideContext(movesOf(apartSubject), apart), (moves) =>
      Console.log(JSON.stringify(moves))
    )
  }
  const subjects = [
    yield* subjectOf("one PostgreSQL", [first, second], one),
    yield* subjectOf("one cell", [first, second], single),
    yield* subjectOf("two cells on one PostgreSQL", [first, second], two),
    apartSubject,
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
    const { elsewhere, there } = yield* commitsOf(subject)
    lines.push({
      subject: subject.name,
      perSecond: median(subject.rounds.map(({ perSecond }) => perSecond)),
      processMicros: median(subject.rounds.map(({ processMicros }) => processMicros)),
      commits: there.toFixed(2),
      "commits elsewhere": elsewhere.toFixed(2)
    })
  }
  yield* say("Moving a merchant")
  const moves = yield* Effect.provideContext(movesOf(apartSubject), apart)
  const micros = yield* Effect.provideContext(lookupMicros, two)
  const perSecond = (name: string): number => Number(lines.find(({ subject }) => subject === name)?.perSecond ?? 0)
  // Citus begins transactions of its own on every server, so `isLocal` ignores its commit counts.
  const isLocal = lines.every(
    (line) => line.subject === citusName || (line.commits === "1.00" && line["commits elsewhere"] === "0.00")
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
            what: "a refund commits once, on its merchant's server, and nowhere else; Citus is not judged",
            goal: "all",
            measured: lines.map((line) => `${line.commits} + ${line["commits elsewhere"]}`).join(", "),
            isMet: isLocal
          },
          {
            what: "lookup of a merchant's cell that is remembered",
            goal: "under 2 µs",
            measured: `${micros.toFixed(2)} µs`,
            isMet: micros < 2
          },
          {
            what: `writes are refused while ${moves.large.rows} rows are stored`,
            goal: "under a minute",
            measured: `${(moves.large.refusedMillis / 1_000).toFixed(1)} s`,
            isMet: moves.large.refusedMillis < 60_000
          }
        ],
        figures: {
          onePerSecond: perSecond("one PostgreSQL"),
          oneCellPerSecond: perSecond("one cell"),
          twoCellsPerSecond: perSecond("two cells on one PostgreSQL"),
          twoServersPerSecond: perSecond("two cells on two servers"),
          ...citus,
          movedRows: moves.small.rows,
          movedMillis: moves.small.refusedMillis,
          largeRows: moves.large.rows,
          largeSeconds: moves.large.refusedMillis / 1_000,
          largeWholeSeconds: moves.large.wholeSeconds,
          lookupMicros: micros
        }
      }
    })
  )
})

// Logs are off so that standard output carries only the report.
const run: Effect.Effect<void, unknown, Scope.Scope> = Effect.provideService(bench, References.MinimumLogLevel, "None")
await Effect.runPromise(Effect.scoped(run)).catch((failure: unknown) => {
  console.error(failure)
  process.exitCode = 1
})
