import { createHash } from "node:crypto"
import { NodeCrypto } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Console from "@surety/console/Console"
import { ConsoleSettings, defaultConsoleSettings } from "@surety/console/ConsoleSettings"
import { pages } from "@surety/console/page/pages"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as Responses from "@surety/http/Responses"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, Schema } from "effect"
import { Caller } from "../../bench/scale/Caller.ts"
import { fill, takeSamples } from "../../bench/scale/fill.ts"
import { filteredCalls, Operator, type PageCall, pageCalls, tableCalls } from "../../bench/scale/pageCalls.ts"
import { recordsOf } from "../../bench/scale/records.ts"
import { routeCalls } from "../../bench/scale/routeCalls.ts"
import { runHere } from "../support/CommandHere.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { serverProcess } from "../support/ServerProcess.js"

const timeoutMillis = 600_000
const refunds = 6_000
const token = "op_scaled_0123456789abcdef"
const publicUrl = "http://localhost"
const secretKey = new Uint8Array(32).fill(7)

/**
 * Limit on the rows and index entries that a console page may read. Each large table has more rows, so a full scan
 * exceeds the limit.
 */
const mostRead = 4_000
const mostCharacters = 60_000

/**
 * Maximum number of times to open a page that exceeds `mostRead`. Reads that do not recur come from autovacuum or from
 * a custom plan. From the sixth execution on, PostgreSQL may use a generic plan instead.
 */
const mostOpens = 8

const credential = {
  name: "operator",
  role: "admin",
  tokenHash: createHash("sha256").update(token).digest("hex")
} as const

/**
 * Provides Surety's services over a single connection, so that flushing its statistics covers all of the console's
 * reads.
 */
const servicesOver = (url: Redacted.Redacted) =>
  Surety.layer({
    stores: Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
      Layer.provideMerge(PgClient.layer({ url, maxConnections: 1 }))
    ),
    keyring: Keyring.layer([Redacted.make(secretKey)]),
    targets: TargetPolicy.layerDevelopment,
    consentUrls: ConsentUrls.layer(publicUrl),
    responses: Responses.layer
  }).pipe(
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(Layer.succeed(OperatorTokens, { operators: [credential] })),
    Layer.provideMerge(Logger.layer([]))
  )

const settings = Layer.succeed(ConsoleSettings, {
  ...defaultConsoleSettings,
  publicUrl,
  platform: "Naira Pay",
  signIn: { byToken: true }
})

/**
 * Builds the console over a database. Also returns an effect that counts the rows and index entries read from Surety's
 * tables so far.
 */
const consoleOver = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const runtime = ManagedRuntime.make(servicesOver(url))
  const context = yield* Effect.promise(() => runtime.context())
  const { dispose, handle } = Console.webHandler(
    Layer.mergeAll(settings, Layer.succeedContext(context), Logger.layer([]))
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      await dispose()
      await runtime.dispose()
    })
  )
  const sendText = async (
    method: string,
    path: string,
    text: string,
    headers: Readonly<Record<string, string | number>>
  ) => {
    const sent = method === "GET" ? {} : { body: text }
    const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    const response = await handle(new Request(`${publicUrl}${path}`, { method, headers: named, ...sent }))
    return { status: response.status, text: await response.text(), cookies: response.headers.getSetCookie() }
  }
  const read = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`select pg_stat_force_next_flush()`
    const rows = yield* sql`
      select sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0) + (
        select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid
      ))::bigint as rows
      from pg_stat_user_tables t where t.schemaname = 'surety'`
    const [{ rows: count }] = yield* Schema.decodeUnknownEffect(Reads)(rows)
    return Number(count)
  })
  const run = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) => Effect.provideContext(effect, context)
  return { sendText, run, readSoFar: run(read) }
})

const Reads = Schema.Tuple([Schema.Struct({ rows: Schema.BigInt })])

const environmentFor = (url: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(url),
  OPERATOR_TOKEN: token,
  SECRETS_KEY: Buffer.from(secretKey).toString("base64"),
  LOG_LEVEL: "none",
  RATE_LIMIT_REFUNDS: "0",
  RATE_LIMIT_OTHER: "0",
  RATE_LIMIT_PROVISIONING: "0"
})

/** Creates the records that `fill` copies, through a server that stops with the scope. */
const sampled = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const server = yield* serverProcess(environmentFor(url))
  const databaseUrl = Redacted.value(url)
  return yield* Effect.promise(() => {
    const caller = new Caller(server.url)
    return takeSamples({ databaseUrl, caller, operator: token, refunds }).finally(() => caller.close())
  })
})

/** Fills an empty database and checks every foreign key. */
const filled = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const samples = yield* Effect.scoped(sampled(url))
  const options = { databaseUrl: Redacted.value(url), samples, refunds, isChecked: true, report: () => undefined }
  return yield* Effect.promise(() => fill(options))
})

it.live(
  "a store that the bench fills adds up, and no page of the console reads much of it",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const environment = environmentFor(url)
      const store = yield* filled(url)
      const { run, readSoFar, sendText } = yield* consoleOver(url)
      const [counted] = yield* run(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`
            select (select count(*)::int from surety.refund r join surety.payment p
                on p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment
              where p.reference ~ '^[a-z]+( refund)? \\d+$') as refunds,
              (select count(distinct status)::int from surety.refund) as outcomes,
              (select count(*)::int from surety.event) as events`
        )
      )
      assert.deepInclude(counted, { refunds, outcomes: 3 })
      assert.isAbove(Number(counted?.events), 2 * refunds)

      const sound = yield* Effect.promise(() => runHere(["verify", "--full"], environment))
      assert.strictEqual(sound.code, 0, sound.stdout + sound.stderr)
      assert.include(sound.stdout, "Everything adds up.")

      // The first merchant has half of the copies, so `verify` reads its records in several pages.
      const busiest = store.places[0]?.merchantId ?? assert.fail("there are merchants")
      const alone = yield* Effect.promise(() => runHere(["verify", "--merchant", busiest], environment))
      assert.strictEqual(alone.code, 0, alone.stdout + alone.stderr)
      assert.isAtLeast(Number(/ (\d+) records compared/u.exec(alone.stdout)?.[1]), 2 * refunds)

      const records = yield* Effect.promise(() => recordsOf(Redacted.value(url), store))
      const operator = yield* Effect.promise(() => Operator.signIn({ sendText }, token))
      const calls = yield* Effect.promise(() => pageCalls(operator, records))
      assert.isAtLeast(calls.length, pages.length)
      const filtered: Array<PageCall> = []
      const wasteful = Effect.fnUntraced(function* (call: PageCall) {
        const { page, path } = call
        const open = Effect.gen(function* () {
          const before = yield* readSoFar
          const { status, text } = yield* Effect.promise(() => operator.get(path))
          assert.strictEqual(status, 200, page)
          return { read: (yield* readSoFar) - before, text }
        })
        const first = yield* open
        let read = first.read
        for (let again = 1; again < mostOpens && read > mostRead; again += 1) read = (yield* open).read
        const size = first.text.length
        if (calls.includes(call)) filtered.push(...filteredCalls(records, call, first.text))
        return read > mostRead || size > mostCharacters ? [`${page}: ${read} rows, ${size} characters`] : []
      })
      assert.deepStrictEqual((yield* Effect.forEach(calls, wasteful)).flat(), [])
      // Opens every list again under each filter except dates, and exports the tables of every record page as CSV.
      assert.isAbove(filtered.length, 50)
      const files = tableCalls(calls)
      assert.isAbove(files.length, 15)
      assert.deepStrictEqual((yield* Effect.forEach([...filtered, ...files], wasteful)).flat(), [])

      for (const way of ["indexscan", "indexonlyscan", "bitmapscan"]) {
        yield* run(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`set enable_${way} = off`)))
      }
      const large = calls.filter(({ page }) => ["refunds", "payments", "deliveries"].includes(page))
      const found = (yield* Effect.forEach(large, wasteful)).flat()
      assert.lengthOf(found, 3, "these pages read whole tables and this test does not notice")
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
  timeoutMillis
)

it("the walk has a call for every route, each once", () => {
  const routes = routeCalls.map(({ route }) => route)
  assert.strictEqual(new Set(routes).size, routes.length)
  assert.isAbove(routes.length, 90)
})
