import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { BenchFailed } from "./BenchFailed.ts"
import type { SystemName } from "./load/LoadJob.ts"

const int8 = 20
pg.types.setTypeParser(int8, BigInt)

/** What must be on for a commit to survive a power cut. */
const durability = ["fsync", "synchronous_commit", "full_page_writes"] as const

/** So much log may be written before a checkpoint that none falls into a round; each round begins with one. */
const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "512MB" }

type Row = Readonly<Record<string, unknown>>

/** The rows that statements answer over a connection of their own, those of the last one. */
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
    catch: (cause) => new BenchFailed({ message: `The database refused: ${cause}` })
  })

/** A PostgreSQL that belongs to this run, with a database for each system. */
export interface BenchDatabase {
  readonly version: string
  readonly url: Readonly<Record<SystemName, string>>
}

/** Fails unless PostgreSQL makes every commit durable that does not say otherwise itself. */
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

/** Starts PostgreSQL with every commit durable, and checks that it is so. */
export const start = (): Effect.Effect<BenchDatabase, BenchFailed | TestPostgres.TestPostgresNotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* TestPostgres.start({ durable: true, settings })
    const url = Redacted.value(server.url)
    yield* checkDurability(url)
    yield* query(url, "create database surety", "create database peer")
    const [row] = yield* query(url, "show server_version")
    const urlOf = (name: SystemName) => Object.assign(new URL(url), { pathname: `/${name}` }).href
    return { version: String(row?.server_version), url: { surety: urlOf("surety"), peer: urlOf("peer") } }
  })

/** Seeds without waiting for the disk; the connections that are measured are opened afterwards, and do wait. */
export const seeding = <A, E, R>(url: string, seed: Effect.Effect<A, E, R>): Effect.Effect<A, E | BenchFailed, R> => {
  const database = new URL(url).pathname.slice(1)
  return Effect.gen(function* () {
    yield* query(url, `alter database ${database} set synchronous_commit = off`)
    const seeded = yield* seed
    yield* query(url, `alter database ${database} reset synchronous_commit`)
    return seeded
  })
}

/** The same start for every round: no dead rows, fresh statistics, an empty log since the last checkpoint. */
export const settle = (url: string): Effect.Effect<void, BenchFailed> =>
  Effect.asVoid(query(url, "vacuum (analyze)", "checkpoint"))

/** The process id of PostgreSQL's first process. */
export const postmasterOf = (url: string): Effect.Effect<number, BenchFailed> =>
  Effect.map(query(url, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid"), ([row]) =>
    Number(row?.pid)
  )
