import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { gunzipSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it, vi } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { EventId, toUuid } from "@surety/core/Ids"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as PgArchive from "@surety/postgres/PgArchive"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { DateTime, Effect, Option, Redacted, Schedule } from "effect"
import { restoreArchive, verifyArchive } from "../../src/archive/restoreArchive.js"
import { runHere } from "../support/CommandHere.js"
import {
  archiveBefore,
  day,
  directory,
  inStore,
  killed,
  printed,
  receiversAnswer,
  rowsOf,
  seed,
  timeoutMillis
} from "./ArchiveStore.js"

/** Concatenates all files below a directory. Decompresses gzip files. */
const textsIn = (below: string): string =>
  readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)))
    .map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8"))
    .join("\n")

/** Returns an event id, a UUIDv7, with this creation time. */
const idMadeAt = (at: string): EventId => {
  const hex = Date.parse(at).toString(16).padStart(12, "0")
  return EventId.fromUuid(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`)
}

const restoreFrom = (from: string) =>
  Effect.flatMap(PgArchive.make, (archive) => printed(restoreArchive(archive, from)))

describe("surety archive", () => {
  it.live(
    "leaves the month that is not over by the database's clock, though it is by this machine's",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const now = yield* DateTime.now
          const month = DateTime.formatIso(now).slice(0, 7)
          const { merchantId } = yield* seed([month], 2)
          const before = yield* rowsOf(merchantId)
          const ahead = vi.spyOn(Date, "now").mockReturnValue(DateTime.toEpochMillis(now) + 70 * 86_400_000)
          const { url } = yield* TestDatabase
          const environment = { DATABASE_URL: Redacted.value(url), DATA_DIR: to }
          const args = ["archive", "--to", to, "--before", DateTime.formatIsoDate(DateTime.add(now, { months: 2 }))]
          const run = yield* Effect.promise(() => runHere(args, environment))
          ahead.mockRestore()
          assert.strictEqual(run.stdout, "Nothing to archive.\n", run.stderr)
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        })
      ),
    timeoutMillis
  )

  it.live(
    "moves finished months to files, says so to who asks for them, and brings them back whole",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const log = yield* EventLog
          const made = yield* seed(["2025-01", "2025-02", "2025-03"], 20)
          const { endpointId, idsOf, merchantId, scope } = made
          const before = yield* rowsOf(merchantId)
          const sql = yield* PgClient.PgClient
          yield* sql`update surety.webhook_endpoint set secrets = '[{"sealed":"secret"}]'`
          const said = yield* archiveBefore(to, "2025-03-15")
          assert.match(
            said,
            /2025-01: 20 events, 20 deliveries and 20 attempts are in .*\/2025-01, manifest [0-9a-f]{64}/
          )
          assert.match(said, /2025-02: 20 events/)
          assert.notInclude(said, "2025-03")
          assert.deepStrictEqual(
            yield* rowsOf(merchantId),
            before.filter((row) => /2025-03/.test(row))
          )

          const [gone = assert.fail("there are events")] = idsOf("2025-01")
          const [stays = assert.fail("there are events")] = idsOf("2025-03")
          const error = yield* Effect.flip(log.find(scope, gone))
          assert.include(error.message, "Events of 2025-01 are in the platform's archive")
          assert.isTrue(Option.isSome(yield* log.find(scope, stays)))
          // The time in this random id is in no archived month, so the event is unknown, not archived.
          assert.isTrue(Option.isNone(yield* log.find(scope, EventId.fromUuid(crypto.randomUUID()))))
          // An expiry's event has the expiry's due time. The event gets its id when a worker finds the expiry, here in
          // the next month.
          const late = yield* Effect.flip(log.find(scope, idMadeAt("2025-03-01T10:00:00.000Z")))
          assert.include(late.message, "Events of 2025-02 are in the platform's archive")
          assert.isTrue(Option.isNone(yield* log.find(scope, idMadeAt("2025-03-02T10:00:00.000Z"))))
          const now = DateTime.makeUnsafe("2025-04-01T00:00:00.000Z")
          const recover = (since: string, until: string) =>
            log.recover(scope, endpointId, { since: day(since), until: day(until) }, now)
          assert.strictEqual((yield* Effect.flip(recover("2025-02-28", "2025-03-02")))._tag, "EventArchived")
          assert.strictEqual((yield* Effect.flip(recover("2024-06-01", "2025-03-02")))._tag, "EventArchived")
          assert.strictEqual(yield* recover("2025-03-01", "2025-03-20"), 0)
          assert.strictEqual(yield* recover("2024-12-01", "2025-01-01"), 0)
          assert.strictEqual((yield* Effect.flip(recover("2025-02-28", "2025-02-28")))._tag, "EventArchived")
          assert.strictEqual(yield* recover("2025-02-28", "2024-12-01"), 0)
          assert.strictEqual(yield* log.resend(scope, gone, undefined, now), 0)
          assert.deepStrictEqual(yield* (yield* Ledger).audit, [])

          const texts = textsIn(to)
          assert.notInclude(texts, receiversAnswer)
          assert.notInclude(texts, "token-in-url")
          assert.notInclude(texts, '"sealed"')
          assert.notInclude(texts, made.contact)
          assert.include(texts, "transaction.settled")

          assert.include(yield* printed(verifyArchive(to)), "All files match their manifests.")
          assert.include(yield* restoreFrom(to), "60 rows restored, 0 already existed")
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
          assert.isTrue(Option.isSome(yield* log.find(scope, gone)))
          assert.include(yield* restoreFrom(to), "0 rows restored, 60 already existed")
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
          assert.deepStrictEqual(yield* (yield* Ledger).audit, [])

          // The earlier files remain, and both months are written again next to them.
          assert.match(yield* archiveBefore(to, "2025-03-15"), /\/2025-01\.2, /)
          assert.deepStrictEqual(readdirSync(to).sort(), ["2025-01", "2025-01.2", "2025-02", "2025-02.2"])
        })
      ),
    timeoutMillis
  )

  it.live(
    "keeps what a record names and each merchant's last event, so that a poller's cursor goes on",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const sql = yield* PgClient.PgClient
          const log = yield* EventLog
          const { idsOf, merchantId, scope } = yield* seed(["2025-01"], 10)
          const [refunded = assert.fail("there are events")] = idsOf("2025-01")
          yield* sql`update surety.event set topic = 'refund.completed' where id = ${toUuid(refunded)}`
          assert.match(yield* archiveBefore(to, "2025-02-01"), /2025-01: 8 events/)
          const following = (after: EventId | undefined) =>
            Effect.repeat(log.follow(scope, { after, limit: 100 }), {
              // Open transactions in other databases of the cluster delay the list, so it is polled.
              until: (events) => events.length > 0,
              schedule: Schedule.spaced("50 millis")
            })
          const left = yield* following(undefined)
          assert.deepStrictEqual(
            left.map(({ id }) => id),
            [refunded, idsOf("2025-01").at(-1)]
          )
          const cursor = left.at(-1)?.id
          yield* sql`
        insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
        values (${toUuid(merchantId)}, 'LIVE', surety.uuid_v7('2025-06-01'), 'transaction.settled', '{}', '2025-06-01')`
          assert.lengthOf(yield* following(cursor), 1)
        })
      ),
    timeoutMillis
  )

  it.live(
    "leaves a month alone while a delivery of it is pending, and names it",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const sql = yield* PgClient.PgClient
          const { idsOf, merchantId } = yield* seed(["2025-01", "2025-02"], 5)
          const [first = assert.fail("there are events")] = idsOf("2025-01")
          yield* sql`update surety.delivery set status = 'PENDING', next_attempt_at = now() where event_id = ${toUuid(first)}`
          const said = yield* archiveBefore(to, "2025-02-01")
          assert.include(said, "2025-01: stays, because it has pending deliveries")
          assert.isFalse(existsSync(path.join(to, "2025-01")))
          assert.lengthOf(yield* rowsOf(merchantId), 30)
          // A delivery made while its endpoint was being removed is never claimed.
          yield* sql`update surety.webhook_endpoint set removed_at = now(), secrets = '[]', status = 'DISABLED'`
          assert.match(yield* archiveBefore(to, "2025-02-01"), /2025-01: 5 events, 5 deliveries/)
        })
      ),
    timeoutMillis
  )

  it.live(
    "removes nothing that a file has not exactly: an event that is sent again meanwhile stays, whole",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const log = yield* EventLog
          const { idsOf, merchantId, scope } = yield* seed(["2025-01", "2025-02"], 5)
          const archive = yield* PgArchive.make
          const [first = assert.fail("there are events")] = idsOf("2025-01")
          const resent: PgArchive.Archive = {
            ...archive,
            seal: (part, hash) =>
              Effect.andThen(
                Effect.orDie(log.resend(scope, first, undefined, DateTime.makeUnsafe("2026-01-01T00:00:00.000Z"))),
                archive.seal(part, hash)
              )
          }
          assert.include(yield* archiveBefore(to, "2025-02-01", resent), "2025-01: 1 events also stay")
          assert.isTrue(Option.isSome(yield* log.find(scope, first)))
          const [history] = yield* log.deliveries(scope, first)
          assert.strictEqual(history?.delivery.status, "PENDING")
          assert.lengthOf(history?.attempts ?? [], 1)
          assert.lengthOf(yield* rowsOf(merchantId), 3 + 15)
        })
      ),
    timeoutMillis
  )

  it.live(
    "removes and restores nothing if a file was changed, or its manifest with it",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 5)
          const before = yield* rowsOf(merchantId)
          const archive = yield* PgArchive.make
          const stopped: PgArchive.Archive = { ...archive, seal: () => killed }
          yield* Effect.exit(archiveBefore(to, "2025-02-01", stopped))
          const file = path.join(to, "2025-01", "event.jsonl.gz")
          const bytes = readFileSync(file)
          const flipped = Buffer.from(bytes)
          flipped.writeUInt8(flipped.readUInt8(40) ^ 1, 40)
          writeFileSync(file, flipped)
          assert.include(
            (yield* Effect.flip(archiveBefore(to, "2025-02-01"))).message,
            "differs from the file that was written"
          )
          assert.include((yield* Effect.flip(verifyArchive(to))).message, "event.jsonl.gz: differs from the file")
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)

          writeFileSync(file, bytes)
          yield* archiveBefore(to, "2025-02-01")
          const left = yield* rowsOf(merchantId)
          const manifest = path.join(to, "2025-01", "manifest.json")
          const text = readFileSync(manifest, "utf8")
          writeFileSync(manifest, text.replace('"schema":"', '"schema":"x'))
          assert.include(
            (yield* Effect.flip(restoreFrom(to))).message,
            "differs from the manifest recorded in this store"
          )
          assert.deepStrictEqual(yield* rowsOf(merchantId), left)
          writeFileSync(manifest, text)
          yield* restoreFrom(to)
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        })
      ),
    timeoutMillis
  )

  it.live(
    "removes nothing more of a month that is being restored, in either order of the two",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 12)
          const before = yield* rowsOf(merchantId)
          const archive = yield* PgArchive.make
          const overtaken: PgArchive.Archive = {
            ...archive,
            take: (part, page) =>
              Effect.andThen(
                Effect.orDie(Effect.provide(printed(restoreArchive(archive, to)), NodeServices.layer)),
                archive.take(part, page)
              )
          }
          assert.include((yield* Effect.flip(archiveBefore(to, "2025-02-01", overtaken))).message, "being restored")
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        })
      ),
    timeoutMillis
  )

  it.live(
    "loses nothing and goes on, behind whichever call of the store it dies",
    () =>
      inStore(
        Effect.gen(function* () {
          const to = yield* directory
          const sql = yield* PgClient.PgClient
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 12)
          const before = yield* rowsOf(merchantId)
          const archive = yield* PgArchive.make
          /** Returns an archive that dies after completing the n-th call to the methods below. */
          const dyingAt = (n: number): PgArchive.Archive => {
            let calls = 0
            const dying =
              <Args extends ReadonlyArray<unknown>, A, E>(verb: (...args: Args) => Effect.Effect<A, E>) =>
              (...args: Args): Effect.Effect<A, E> =>
                Effect.suspend(() => {
                  calls += 1
                  return calls === n ? Effect.andThen(verb(...args), killed) : verb(...args)
                })
            return {
              ...archive,
              begin: dying(archive.begin),
              page: dying(archive.page),
              references: dying(archive.references),
              seal: dying(archive.seal),
              take: dying(archive.take),
              finish: dying(archive.finish)
            }
          }

          let deaths = 0
          for (let n = 1; n < 20; n += 1) {
            const run = yield* Effect.exit(archiveBefore(to, "2025-02-01", dyingAt(n)))
            const isOver = run._tag === "Success"
            if (!isOver) deaths += 1
            // While every part still has the status `WRITING`, no row may have been removed from the store.
            const archived =
              (yield* sql`select count(*)::int as n from surety.archive_part where status <> 'WRITING'`)[0]?.n
            if (archived === 0) assert.deepStrictEqual(yield* rowsOf(merchantId), before)
            yield* archiveBefore(to, "2025-02-01")
            assert.deepStrictEqual(
              yield* rowsOf(merchantId),
              before.filter((row) => /2025-02/.test(row))
            )
            assert.isFalse(readdirSync(to).some((name) => name.startsWith(".")))
            yield* restoreFrom(to)
            assert.deepStrictEqual(yield* rowsOf(merchantId), before)
            if (isOver) break
          }
          assert.strictEqual(deaths, 7)
        })
      ),
    timeoutMillis
  )

  it.live(
    "serves two runs at once: one of them removes, and each event is in its files",
    () =>
      inStore(
        Effect.gen(function* () {
          const [one, other] = [yield* directory, yield* directory]
          const { merchantId } = yield* seed(["2025-01", "2025-02"], 30)
          const before = yield* rowsOf(merchantId)
          const runs = yield* Effect.all(
            [one, other].map((to) => Effect.exit(archiveBefore(to, "2025-02-01"))),
            { concurrency: "unbounded" }
          )
          assert.isTrue(runs.some(({ _tag }) => _tag === "Success"))
          assert.lengthOf(yield* rowsOf(merchantId), 90)
          // A run that begins after the other has ended finds nothing to archive, and succeeds too.
          const [won] = [one, other].filter(
            (directory, index) => runs[index]?._tag === "Success" && readdirSync(directory).length > 0
          )
          yield* restoreFrom(won ?? assert.fail("one run has won"))
          assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        })
      ),
    timeoutMillis
  )
})
