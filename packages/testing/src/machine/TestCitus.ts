import * as PgClient from "@effect/sql-pg/PgClient"
import { Array as Arr, Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { TestDatabase } from "./TestDatabase.js"
import * as TestPostgres from "./TestPostgres.js"

/** A Citus cluster for tests: the superuser's connection url for one database on each node. */
export class TestCitus extends Context.Service<
  TestCitus,
  {
    readonly coordinator: Redacted.Redacted
    readonly workers: ReadonlyArray<Redacted.Redacted>
  }
>()("@surety/testing/machine/TestCitus") {}

export interface TestCitusOptions {
  /** Distributed schemas to create, placed on the workers in turn. Defaults to `surety`. */
  readonly schemas?: ReadonlyArray<string>
  /** Defaults to 2. */
  readonly workers?: number
  /** True if commits must survive a power cut, for measurements. Defaults to `false`. */
  readonly durable?: boolean
}

const native = Config.NonEmptyString("CITUS_NATIVE")

const settings = {
  shared_preload_libraries: "citus",
  max_prepared_transactions: "200",
  "citus.node_conninfo": "sslmode=prefer",
  // Allows row triggers, which protect records from changes, on the node that holds the tables.
  "citus.enable_unsafe_triggers": "on"
}

const runOn =
  (url: Redacted.Redacted) =>
  <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>): Effect.Effect<A, E | SqlError> =>
    Effect.provide(effect, PgClient.layer({ url, maxConnections: 1 }))

const execute = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
})

const portOf = (url: Redacted.Redacted): string => new URL(Redacted.value(url)).port

/**
 * Starts a coordinator and its workers in about four seconds, and stops them with the scope. `CITUS_NATIVE` must name a
 * folder with the `lib` and `share` of a Citus built for the workspace's PostgreSQL. No package registry offers one.
 * Fails if the variable is unset or empty, or if a server or Citus does not start.
 */
export const start = Effect.fn("TestCitus.start")(function* ({
  durable = false,
  schemas = ["surety"],
  workers: count = 2
}: TestCitusOptions = {}) {
  const extensions = yield* native
  const servers = yield* Effect.forEach(
    Arr.range(0, count),
    () => TestPostgres.start({ durable, extensions, settings }),
    { concurrency: "unbounded" }
  )
  const [coordinator, ...workers] = Arr.map(servers, ({ url }) => url)
  yield* Effect.forEach([coordinator, ...workers], (url) => runOn(url)(execute(["create extension citus"])), {
    concurrency: "unbounded",
    discard: true
  })
  yield* execute([
    `select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`,
    ...workers.map((worker) => `select citus_add_node('127.0.0.1', ${portOf(worker)})`),
    ...schemas.flatMap((schema) => [`create schema "${schema}"`, `select citus_schema_distribute('"${schema}"')`])
  ]).pipe(runOn(coordinator))
  return TestCitus.of({ coordinator, workers })
})

const decodePort = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ port: Schema.String })]))

/**
 * Returns the connection url of the worker that holds the schema's tables. Fails if the schema has no tables yet. Dies
 * if no worker of the cluster holds them.
 */
export const homeOf = Effect.fn("TestCitus.homeOf")(function* (schema: string) {
  const { coordinator, workers } = yield* TestCitus
  const [{ port }] = yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = yield* sql`
      select nodeport::text as port from citus_shards where starts_with(table_name::text, ${`${schema}.`}) limit 1`
    return yield* decodePort(rows)
  }).pipe(runOn(coordinator))
  const home = workers.find((worker) => portOf(worker) === port)
  return home === undefined ? yield* Effect.die(new Error(`no worker has the tables of ${schema}`)) : home
})

export const layer = (options?: TestCitusOptions) =>
  Layer.provideMerge(
    Layer.effect(
      TestDatabase,
      Effect.map(TestCitus, ({ coordinator }) => TestDatabase.of({ url: coordinator }))
    ),
    Layer.effect(TestCitus, start(options))
  )
