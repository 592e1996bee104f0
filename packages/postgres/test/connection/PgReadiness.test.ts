import { execFileSync } from "node:child_process"
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Readiness } from "@surety/core/Readiness"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { layer as databaseLayer, TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Exit, Fiber, Layer, Redacted, type Scope } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"

const clientOf = (url: Redacted.Redacted, maxConnections: number) =>
  Effect.map(Layer.build(Layer.fresh(PgClient.layer({ url, maxConnections }))), (context) =>
    Context.get(context, PgClient.PgClient)
  )

const readinessOver = (layer: typeof PgReadiness.layer, client: PgClient.PgClient) =>
  Effect.map(Layer.build(Layer.fresh(layer)).pipe(Effect.provideService(PgClient.PgClient, client)), (context) =>
    Context.get(context, Readiness)
  )

/** The database's url and a client that connects as its owner. */
const owned = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return { url, sql: yield* clientOf(url, 2) }
})

const said = (readiness: Readiness["Service"]): Effect.Effect<string> =>
  Effect.match(readiness.check, { onFailure: ({ detail }) => detail, onSuccess: () => "ready" })

/** Waits until the cached result of the readiness check expires, which takes a second. */
const forgotten = Effect.sleep("1100 millis")

const inEmptyDatabase = <A, E>(work: Effect.Effect<A, E, TestDatabase | Scope.Scope>) =>
  work.pipe(Effect.scoped, Effect.provide(RunDatabase.layer))

const inDatabase = <A, E>(work: Effect.Effect<A, E, TestDatabase | Scope.Scope>) =>
  work.pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer))

/**
 * Runs `work` on a separate server. While a disk is full, all checkpoints of its server fail, and other tests on that
 * server would wait for them.
 */
const onItsOwnServer = <A, E>(work: Effect.Effect<A, E, TestDatabase | Scope.Scope>) =>
  work.pipe(Effect.scoped, Effect.provide(Layer.provide(databaseLayer, TestPostgres.layer)))

/** Occupies every connection of the client until the scope ends. */
const occupied = Effect.fnUntraced(function* (client: PgClient.PgClient, connections: number) {
  const taken = Array.from({ length: connections }, () =>
    Effect.forkScoped(client.withTransaction(Effect.andThen(client`select 1`, Effect.never)))
  )
  yield* Effect.all(taken)
  yield* Effect.sleep("300 millis")
})

/** A separate disk of 40 MB. Requires permission to mount file systems. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(path.join(tmpdir(), "surety-disk-"))
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m,mode=0755", "none", directory], { stdio: "ignore" })
    chownSync(directory, 65_534, 65_534)
    return directory
  }),
  (directory) =>
    Effect.sync(() => {
      execFileSync("umount", ["--lazy", directory])
      rmSync(directory, { recursive: true, force: true })
    })
)

describe("PgReadiness", () => {
  it.live("is ready once the tables are there, and not before", () =>
    inEmptyDatabase(
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const sql = yield* clientOf(url, 1)
        const readiness = yield* readinessOver(PgReadiness.layerOwn, sql)
        assert.match(yield* said(readiness), /migrat/i)
        yield* Effect.provideService(PgMigrations.run, PgClient.PgClient, sql)
        yield* forgotten
        assert.strictEqual(yield* said(readiness), "ready")
      })
    )
  )

  it.live("is not ready if nothing can be written", () =>
    inDatabase(
      Effect.gen(function* () {
        const { sql, url } = yield* owned
        const [row] = yield* sql<{ name: string }>`select current_database() as name`
        yield* sql`alter database ${sql.literal(row?.name ?? "")} set default_transaction_read_only = on`
        const readiness = yield* readinessOver(PgReadiness.layerOwn, yield* clientOf(url, 1))
        assert.match(yield* said(readiness), /read-only/)
      })
    )
  )

  it.live.skipIf(isLeftOut(process.env, "SKIP_FULL_DISK"))("is not ready while the disk is full", () =>
    onItsOwnServer(
      Effect.gen(function* () {
        const directory = yield* smallDisk
        const owner = yield* owned
        const space = `disk_${Math.random().toString(36).slice(2)}`
        yield* Effect.acquireRelease(
          owner.sql`create tablespace ${owner.sql.literal(space)} location ${owner.sql.literal(`'${directory}'`)}`,
          () => Effect.ignore(owner.sql`drop tablespace ${owner.sql.literal(space)}`)
        )
        const own = new URL(Redacted.value(owner.url))
        yield* Effect.acquireRelease(
          owner.sql`create database ${owner.sql.literal(space)} tablespace ${owner.sql.literal(space)}`,
          () => Effect.orDie(owner.sql`drop database ${owner.sql.literal(space)} with (force)`)
        )
        own.pathname = `/${space}`
        yield* Effect.gen(function* () {
          const sql = yield* clientOf(Redacted.make(own.href), 1)
          yield* Effect.provideService(PgMigrations.run, PgClient.PgClient, sql)
          const readiness = yield* readinessOver(PgReadiness.layerOwn, sql)
          assert.strictEqual(yield* said(readiness), "ready")
          const filler = path.join(directory, "filler")
          try {
            writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))
          } catch {
            // The disk is now full.
          }
          yield* forgotten
          assert.match(yield* said(readiness), /53100|No space left/)
          rmSync(filler)
          yield* forgotten
          assert.strictEqual(yield* said(readiness), "ready")
        }).pipe(Effect.scoped)
      })
    )
  )

  it.live(
    "is not ready while no commit ends, for want of a synchronous standby, and leaves no commit behind",
    () =>
      onItsOwnServer(
        Effect.gen(function* () {
          const { sql, url } = yield* owned
          yield* Effect.provideService(PgMigrations.run, PgClient.PgClient, sql)
          const standbys = Effect.fnUntraced(function* (names: string) {
            yield* sql`alter system set synchronous_standby_names = ${sql.literal(`'${names}'`)}`
            yield* sql`select pg_reload_conf()`
          })
          const [row] = yield* sql<{ name: string }>`select current_database() as name`
          yield* sql`alter database ${sql.literal(row?.name ?? "")} set synchronous_commit = on`
          const readiness = yield* readinessOver(PgReadiness.layerOwn, yield* clientOf(url, 1))
          const overPool = yield* readinessOver(PgReadiness.layer, yield* clientOf(url, 1))
          assert.strictEqual(yield* said(readiness), "ready")
          yield* standbys("nobody")
          for (let round = 0; round < 3; round += 1) {
            yield* forgotten
            assert.match(yield* said(readiness), /completed no commit within 4000 ms.*synchronous standbys/)
          }
          assert.strictEqual(yield* said(overPool), "ready")
          yield* Effect.sleep("1 second")
          const waiting = yield* sql`select pid from pg_stat_activity where wait_event = 'SyncRep'`
          assert.isEmpty(waiting)
          yield* standbys("")
          yield* forgotten
          assert.strictEqual(yield* said(readiness), "ready")
        })
      ),
    60_000
  )

  it.live("is ready when only the pool is busy, over a connection of its own", () =>
    inDatabase(
      Effect.gen(function* () {
        const { url } = yield* owned
        const readiness = yield* readinessOver(PgReadiness.layerOwn, yield* clientOf(url, 1))
        yield* occupied(yield* clientOf(url, 2), 2)
        assert.strictEqual(yield* said(readiness), "ready")
      })
    )
  )

  it.live(
    "over a pool that others use is ready while it is busy, if the database was there a moment ago",
    () =>
      inDatabase(
        Effect.gen(function* () {
          const { url } = yield* owned
          const [seen, unseen] = yield* Effect.all([clientOf(url, 2), clientOf(url, 2)])
          const readiness = yield* readinessOver(PgReadiness.layer, seen)
          assert.strictEqual(yield* said(readiness), "ready")
          yield* occupied(seen, 2)
          yield* occupied(unseen, 2)
          yield* forgotten
          assert.strictEqual(yield* said(readiness), "ready")
          assert.notStrictEqual(yield* said(yield* readinessOver(PgReadiness.layer, unseen)), "ready")
        })
      ),
    30_000
  )

  it.live("is not ready when its own connection does not answer", () =>
    inDatabase(
      Effect.gen(function* () {
        const { sql, url } = yield* owned
        const readiness = yield* readinessOver(PgReadiness.layerOwn, yield* clientOf(url, 1))
        const locked = yield* Effect.forkScoped(
          sql.withTransaction(
            Effect.andThen(sql`lock table surety.surety_migrations in access exclusive mode`, Effect.never)
          )
        )
        yield* Effect.sleep("300 millis")
        assert.match(yield* said(readiness), /within|migrat/i)
        yield* Fiber.interrupt(locked)
      })
    )
  )

  it.live("queries the database once for concurrent callers, even if one disconnects", () =>
    inDatabase(
      Effect.gen(function* () {
        const { sql, url } = yield* owned
        const readiness = yield* readinessOver(PgReadiness.layerOwn, yield* clientOf(url, 1))
        const transactions = Effect.map(sql<{ id: string }>`select pg_current_xact_id()::text as id`, ([row]) =>
          BigInt(row?.id ?? "0")
        )
        const before = yield* transactions
        const impatient = yield* Effect.forkChild(readiness.check)
        yield* Effect.yieldNow
        yield* Fiber.interrupt(impatient)
        const answers = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.exit(readiness.check), {
          concurrency: "unbounded"
        })
        assert.isTrue(answers.every(Exit.isSuccess))
        // The count includes a few transactions of other tests on the same server.
        assert.isBelow(Number((yield* transactions) - before), 60)
      })
    )
  )
})
