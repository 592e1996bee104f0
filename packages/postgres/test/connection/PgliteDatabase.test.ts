import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import { Effect, Fiber } from "effect"
import { pgliteDuplex } from "../../src/connection/pgliteDuplex.js"
import { placeEmbeddedDatabase } from "../EmbeddedDirectory.js"
import { clientOf } from "../EmbeddedMemory.js"

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "surety-pglite-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const inDatabase = <A, E, R>(dataDir: string, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, PgliteDatabase.layer({ dataDir }), { local: true })

const isLocked = (dataDir: string) =>
  Effect.isSuccess(Effect.tryPromise({ try: () => readFile(path.join(dataDir, "lock")), catch: (cause) => cause }))

const opened = Effect.gen(function* () {
  const directory = yield* temporary
  yield* Effect.promise(() => placeEmbeddedDatabase(directory))
  return yield* Effect.acquireRelease(
    Effect.promise(() => PGlite.create(path.join(directory, "postgres"))),
    (database) => Effect.promise(() => database.close())
  )
})

/** Sends a cancel request over a second connection, as a client does. */
const cancelRequest = (database: PGlite) =>
  Effect.callback<void>((resume) => {
    const request = Buffer.alloc(16)
    request.writeInt32BE(16, 0)
    request.writeInt32BE(80_877_102, 4)
    const socket = pgliteDuplex(database)()
    socket.resume().once("close", () => resume(Effect.void))
    socket.end(request)
  })

const connected = <A, E, R>(database: PGlite, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, clientOf(database), { local: true })

const timeoutMillis = 180_000

describe("PgliteDatabase", () => {
  it.live(
    "keeps its data over a restart, keeps a second user out meanwhile, and leaves no lock behind",
    () =>
      Effect.gen(function* () {
        const dataDir = path.join(yield* temporary, "new", "database")
        yield* Effect.promise(() => placeEmbeddedDatabase(dataDir))
        const first = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* PgMigrations.run
          yield* sql`create table note (text text)`
          yield* sql`insert into note values ('kept')`
          const error = yield* Effect.flip(inDatabase(dataDir, Effect.void))
          assert.strictEqual(error.message, `${dataDir} is in use by process ${process.pid}. Stop it first.`)
          assert.isTrue(yield* isLocked(dataDir), "the refusal leaves the lock alone")
        })
        yield* inDatabase(dataDir, first)
        assert.isFalse(yield* isLocked(dataDir))
        const second = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          assert.deepStrictEqual(yield* PgMigrations.run, [])
          return yield* sql`select text from note`
        })
        assert.deepStrictEqual([...(yield* inDatabase(dataDir, second))], [{ text: "kept" }])
      }),
    timeoutMillis
  )

  it.live(
    "drops a transaction whose connection or client disconnected in the middle of it",
    () =>
      Effect.gen(function* () {
        const database = yield* opened
        const notes = Effect.flatMap(PgClient.PgClient, (sql) => sql`select text from note`)
        const dropped = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* sql`create table note (text text)`
          yield* sql`begin`
          yield* sql`set local search_path = pg_catalog`
          yield* sql`insert into public.note values ('uncommitted')`
        })
        yield* connected(database, dropped)
        const interrupted = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          assert.lengthOf(yield* notes, 0)
          const insert = sql`insert into note values ('uncommitted')`
          const fiber = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(insert, Effect.never)))
          yield* Effect.sleep("50 millis")
          yield* Fiber.interrupt(fiber)
          assert.lengthOf(yield* notes, 0)
        })
        yield* connected(database, interrupted)
      }),
    timeoutMillis
  )

  it.live(
    "leaves a transaction alone when a cancel request arrives",
    () =>
      Effect.gen(function* () {
        const database = yield* opened
        const transaction = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* sql`create table note (text text)`
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`insert into note values ('first')`
              yield* cancelRequest(database)
              yield* sql`insert into note values ('second')`
            })
          )
          return yield* sql`select text from note`
        })
        assert.lengthOf(yield* connected(database, transaction), 2)
      }),
    timeoutMillis
  )
})
