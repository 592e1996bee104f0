import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { BenchFailed } from "./BenchFailed.ts"
import type { SystemName } from "./load/LoadJob.ts"

const int8 = 20
pg.types.setTypeParser(int8, BigInt)

/** Settings that must be on for commits to survive a power cut. */
const durability = ["fsync", "synchronous_commit", "full_page_writes"] as const

/** `max_wal_size` and `checkpoint_timeout` are so large that no checkpoint starts during a round. */
const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "512MB" }

const systems = ["surety", "peer", "simple"] as const

type Row = Readonly<Record<string, unknown>>

/** Runs the statements on a new connection and returns the last one's rows. */
export const query = (
  url: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Row>, BenchFailed> =>
  Effect.tryPromise({
    try: async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        let rows: ReadonlyArray<Row> = []
        for (const statement of statements) rows = (await client.query<Row>(statement)).rows
        return rows
      } finally {
        await client.end()
      }
    },
    catch: (cause) => new BenchFailed({ message: `Statement failed: ${cause}` })
  })

/** A PostgreSQL server for this run, with a database for each system. */
export interface BenchDatabase {
  readonly version: string
  readonly url: Readonly<Record<SystemName, string>>
}

export const checkDurability = (url: string): Effect.Effect<void, BenchFailed> =>
  Effect.forEach(
    durability,
    (name) =>
      Effect.flatMap(query(url, `show ${name}`), ([row]) =>
        row?.[name] === "on"
          ? Effect.void
          : Effect.fail(new BenchFailed({ message: `PostgreSQL runs without ${name}` }))
      ),
    { discard: true }
  )

export const start = (): Effect.Effect<BenchDatabase, BenchFailed | TestPostgres.TestPostgresNotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* TestPostgres.start({ durable: true, settings })
    const url = Redacted.value(server.url)
    yield* checkDurability(url)
    yield* query(url, ...systems.map((name) => `create database ${name}`))
    const [row] = yield* query(url, "show server_version")
    const urlOf = (name: SystemName) => Object.assign(new URL(url), { pathname: `/${name}` }).href
    const urls = { surety: urlOf("surety"), peer: urlOf("peer"), simple: urlOf("simple") }
    return { version: String(row?.server_version), url: urls }
  })

/** Seeds with `synchronous_commit` off. The measured connections open after seeding, so their commits wait for disk. */
export const seeding = <A, E, R>(url: string, seed: Effect.Effect<A, E, R>): Effect.Effect<A, E | BenchFailed, R> => {
  const database = new URL(url).pathname.slice(1)
  return Effect.gen(function* () {
    yield* query(url, `alter database ${database} set synchronous_commit = off`)
    const seeded = yield* seed
    yield* query(url, `alter database ${database} reset synchronous_commit`)
    return seeded
  })
}

/** Prepares a database for a round. */
export const settle = (url: string): Effect.Effect<void, BenchFailed> =>
  Effect.asVoid(query(url, "vacuum (analyze)", "checkpoint"))

export const postmasterOf = (url: string): Effect.Effect<number, BenchFailed> =>
  Effect.map(query(url, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid"), ([row]) =>
    Number(row?.pid)
  )
