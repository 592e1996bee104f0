import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import * as PgArchive from "@surety/postgres/PgArchive"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Deferred, Effect, Exit, Fiber, FileSystem, Option, Schedule } from "effect"
import { restoreArchive, verifyArchive } from "../../src/archive/restoreArchive.js"
import { archiveBefore, directory, inStore, killed, printed, rowsOf, seed, timeoutMillis } from "./ArchiveStore.js"

/** Inserts a new endpoint, and a delivery of the event to that endpoint. The delivery's only attempt failed. */
const sentElsewhere = (eventId: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`
      with endpoint as (
        insert into surety.webhook_endpoint
          (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
        select v.merchant_id, 'LIVE', gen_random_uuid(), 'https://shop.example/new', '{transaction.settled}', 'ENABLED',
          '[]', now(), now()
        from surety.event v where v.id = ${eventId}::uuid
        returning id, merchant_id
      ),
      sent as (
        insert into surety.delivery
          (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
        select surety.delivery_id(${eventId}::uuid, e.id), ${eventId}::uuid, e.id, e.merchant_id, 'LIVE', 'FAILED', 1, 1, now() from endpoint e
        returning id
      )
      insert into surety.delivery_attempt (delivery_id, number, started_at, duration_millis, error)
      select s.id, 1, now(), 12, 'timed_out' from sent s`
  })

describe("surety archive, beside what else happens", () => {
  it.live(
    "writes what one moment had of an event that is sent again while it is read",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const { url } = yield* TestDatabase
          const sql = yield* PgClient.PgClient
          const { idsOf } = yield* seed(["2025-01", "2025-02"], 5)
          const archive = yield* PgArchive.make
          const first = toUuid(idsOf("2025-01")[0] ?? assert.fail("there are events"))
          const waiting = sql`
            select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          const run = yield* Effect.provide(
            Effect.gen(function* () {
              const other = yield* PgClient.PgClient
              return yield* other.withTransaction(
                Effect.gen(function* () {
                  yield* other`lock table surety.delivery_attempt in access exclusive mode`
                  const running = yield* Effect.forkDetach(archiveBefore(to, "2025-02-01", archive))
                  yield* Effect.repeat(waiting, {
                    until: (rows) => rows.length > 0,
                    schedule: Schedule.spaced("20 millis")
                  })
                  yield* sentElsewhere(first)
                  return running
                })
              )
            }),
            PgClient.layer({ url, maxConnections: 1 })
          )
          assert.match(yield* Fiber.join(run), /2025-01: 5 events, [56] deliveries/u)
          assert.include(yield* printed(verifyArchive(to)), "All files match their manifests.")
        })
      ),
    timeoutMillis
  )

  it.live(
    "keeps an event that waits to be sent again, also if the files have the very delivery",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const log = yield* EventLog
          const sql = yield* PgClient.PgClient
          const { idsOf, scope } = yield* seed(["2025-01", "2025-02"], 5)
          const archive = yield* PgArchive.make
          const first = idsOf("2025-01")[0] ?? assert.fail("there are events")
          const at = "2030-01-01T00:00:00.000Z"
          const asPending = (line: string): string =>
            line
              .replace('"status": "DELIVERED"', '"status": "PENDING"')
              .replace('"next_attempt_at": null', `"next_attempt_at": "${at}"`)
          const raced: PgArchive.Archive = {
            ...archive,
            page: (month, after) =>
              Effect.gen(function* () {
                const page = yield* archive.page(month, after)
                if (after !== undefined) return page
                yield* Effect.orDie(sql`
                  update surety.delivery set status = 'PENDING', next_attempt_at = ${at}::timestamptz
                  where event_id = ${toUuid(first)}`)
                const delivery = page.delivery.map((row) =>
                  row.eventId === toUuid(first) ? { ...row, line: asPending(row.line) } : row
                )
                assert.notDeepEqual(delivery, page.delivery)
                return { ...page, delivery }
              })
          }
          assert.include(yield* archiveBefore(to, "2025-02-01", raced), "2025-01: 1 events also stay")
          assert.isTrue(Option.isSome(yield* log.find(scope, first)))
          const [history] = yield* log.deliveries(scope, first)
          assert.strictEqual(history?.delivery.status, "PENDING")
        })
      ),
    timeoutMillis
  )

  it.live(
    "never mixes the files of two runs to one directory, of which one gives up",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 12)
          const before = yield* rowsOf(merchantId)
          const archive = yield* PgArchive.make
          const [oneHasWritten, otherHasWritten, oneIsOver] = [
            yield* Deferred.make<void>(),
            yield* Deferred.make<void>(),
            yield* Deferred.make<void>()
          ]
          /**
           * Returns an archive that applies `first` to the first page and runs `between` before it reads each later
           * page.
           */
          const pausing = (
            between: Effect.Effect<unknown>,
            first: (page: PgArchive.ArchivePage) => PgArchive.ArchivePage
          ): PgArchive.Archive => ({
            ...archive,
            page: (month, after) =>
              after === undefined
                ? Effect.map(archive.page(month, after), first)
                : Effect.andThen(between, archive.page(month, after))
          })
          const fiveOf = (page: PgArchive.ArchivePage): PgArchive.ArchivePage => {
            const ids = new Set(page.event.slice(0, 5).map(({ eventId }) => eventId))
            const kept = (rows: ReadonlyArray<PgArchive.EventLine>) => rows.filter(({ eventId }) => ids.has(eventId))
            return {
              event: kept(page.event),
              delivery: kept(page.delivery),
              delivery_attempt: kept(page.delivery_attempt)
            }
          }
          const told = (mine: Deferred.Deferred<void>, others: Deferred.Deferred<void>) =>
            Effect.andThen(Deferred.succeed(mine, undefined), Deferred.await(others))
          const one = archiveBefore(
            to,
            "2025-02-01",
            pausing(told(oneHasWritten, otherHasWritten), (page) => page)
          )
          const other = Effect.andThen(
            Deferred.await(oneHasWritten),
            archiveBefore(to, "2025-02-01", pausing(told(otherHasWritten, oneIsOver), fiveOf))
          )
          const exits = yield* Effect.all(
            [Effect.ensuring(Effect.exit(one), Deferred.succeed(oneIsOver, undefined)), Effect.exit(other)],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, true])
          assert.include(yield* printed(verifyArchive(to)), "All files match their manifests.")
          assert.deepStrictEqual(readdirSync(to), ["2025-01"])
          assert.deepStrictEqual(
            yield* rowsOf(merchantId),
            before.filter((row) => /2025-02/.test(row))
          )
        })
      ),
    timeoutMillis
  )

  it.live(
    "goes on with the files whose hash the store has kept, among those of several runs",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 5)
          const archive = yield* PgArchive.make
          yield* Effect.exit(archiveBefore(to, "2025-02-01", { ...archive, take: () => killed }))
          // Makes `2025-01` look like the files of another run, and keeps this run's files as `2025-01.2`.
          cpSync(path.join(to, "2025-01"), path.join(to, "2025-01.2"), { recursive: true })
          const manifest = path.join(to, "2025-01", "manifest.json")
          writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"schema":"', '"schema":" '))
          assert.match(yield* archiveBefore(to, "2025-02-01"), /5 attempts are in .*\/2025-01\.2, manifest/u)
          assert.lengthOf(yield* rowsOf(merchantId), 15)
          yield* printed(restoreArchive(archive, path.join(to, "2025-01.2")))
          assert.lengthOf(yield* rowsOf(merchantId), 30)
        })
      ),
    timeoutMillis
  )

  it.live(
    "makes durable each directory that it makes, so that no row is removed whose files a power cut takes",
    () =>
      inStore(
        Effect.gen(function* () {
          const base = yield* directory
          const to = path.join(base, "of", "2025")
          yield* seed(["2025-01", "2025-02"], 5)
          const files = yield* FileSystem.FileSystem
          // The archive opens a directory only to fsync it, so each recorded open counts as an fsync.
          const synced: Array<string> = []
          const watched: FileSystem.FileSystem = {
            ...files,
            open: (name, options) =>
              Effect.andThen(
                Effect.sync(() => synced.push(name)),
                files.open(name, options)
              )
          }
          yield* Effect.provideService(archiveBefore(to, "2025-02-01"), FileSystem.FileSystem, watched)
          assert.deepStrictEqual(readdirSync(to), ["2025-01"])
          assert.includeMembers(synced, [base, path.join(base, "of"), to])
        })
      ),
    timeoutMillis
  )
})
