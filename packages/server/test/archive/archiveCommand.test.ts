import { readdirSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { EventId, toUuid } from "@surety/core/Ids"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer, Redacted } from "effect"
import { fencesIn, textOf } from "../docs/Fence.js"
import { stepsIn } from "../docs/Step.js"
import { asJson, readAnswer } from "../support/Merchant.js"
import { runSurety, serverProcess } from "../support/ServerProcess.js"
import { signalledAtLock } from "../support/signalledAtLock.js"
import { directory, rowsOf, seed, stores } from "./ArchiveStore.js"

/** Runs the command until its backend waits for the test's lock, then kills it. Fails if the command exits first. */
const killedAtLock = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) {
  const sql = yield* PgClient.PgClient
  yield* signalledAtLock("SIGKILL", args, env)
  // PostgreSQL would notice the lost client only once the lock is free, so the test ends the backend.
  yield* sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'surety' and wait_event_type = 'Lock'`
})

describe("surety archive", () => {
  it.live(
    "goes on after a SIGKILL between any two steps, and the service says what is archived",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const to = yield* directory
        const { url } = yield* TestDatabase
        const environment = {
          DATABASE_URL: Redacted.value(url),
          DATA_DIR: yield* directory,
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
          LOG_LEVEL: "warning",
          // Retention would delete the restored records because of their age, so the server runs without workers.
          WORKERS: "off"
        }
        const archive = ["archive", "--before", "2025-03-01", "--to", to]
        const surety = (...args: ReadonlyArray<string>) => Effect.promise(() => runSurety(args, environment))
        // Each month takes two pages, since a page has at most 1,000 events.
        const { endpointId, idsOf, merchantId } = yield* seed(["2025-01", "2025-02"], 1_600)
        const before = yield* rowsOf(merchantId)

        // Runs the page's command, whose date precedes this test's months.
        const steps = stepsIn("docs/platform/archive.md", textOf("docs/platform/archive.md"))
        const shown = fencesIn("docs/platform/archive.md", textOf("docs/platform/archive.md"))
        assert.lengthOf(steps, shown.length)
        const [asked, answered] = shown
        const words = (asked?.code ?? "").trim().split(" ").slice(1)
        assert.strictEqual((yield* surety(...words)).stdout.trim(), answered?.code.trim())

        // The command is killed after the files are written and before the removal, while the part's row is locked.
        yield* sql`
          insert into surety.archive_part (id, month, status, begun_by)
          values (gen_random_uuid(), '2025-01-01', 'WRITING', 'test')`
        yield* sql.withTransaction(
          Effect.andThen(
            sql`select 1 from surety.archive_part for update`,
            Effect.provide(killedAtLock(archive, environment), PgClient.layer({ url, maxConnections: 1 }))
          )
        )
        assert.deepStrictEqual(readdirSync(to), ["2025-01"])
        assert.lengthOf(yield* rowsOf(merchantId), before.length)
        assert.strictEqual(
          (yield* surety("archive", "--before", "2025-02-01", "--to", to, "--dry-run")).stdout,
          "2025-01: would be completed, since its run was interrupted\n"
        )

        // The command is killed in the middle of the removal, while an event of the second page is locked.
        const middle = toUuid(idsOf("2025-01")[1_300] ?? assert.fail("there are 1,600"))
        yield* sql.withTransaction(
          Effect.andThen(
            sql`select 1 from surety.event v where v.id = ${middle} for update`,
            Effect.provide(killedAtLock(archive, environment), PgClient.layer({ url, maxConnections: 1 }))
          )
        )
        assert.lengthOf(yield* rowsOf(merchantId), before.length - 3 * 1_000)

        // A removal that began with files in one directory cannot be completed from another.
        const elsewhere = yield* surety("archive", "--before", "2025-03-01", "--to", yield* directory)
        assert.strictEqual(elsewhere.code, 1)
        assert.include(elsewhere.stderr, "began with files that are not here")

        const run = yield* surety(...archive)
        assert.strictEqual(run.code, 0, run.stderr)
        assert.include(run.stdout, "2025-01: 1600 events, 1600 deliveries and 1600 attempts are in ")
        // The merchant's last event remains, with its delivery and attempt.
        assert.lengthOf(yield* rowsOf(merchantId), 3)
        const server = yield* serverProcess(environment)
        const sound = yield* surety("verify")
        assert.strictEqual(sound.code, 0, sound.stdout + sound.stderr)
        const verified = yield* surety("archive", "verify", to)
        assert.strictEqual(verified.code, 0, verified.stderr)

        const call = (method: string, route: string, body?: unknown) =>
          Effect.promise(async () =>
            readAnswer(
              await fetch(
                `${server.url}${route}`,
                asJson(method, { bearer: server.operatorToken, ...(body === undefined ? {} : { body }) })
              )
            )
          )
        const gone = idsOf("2025-01")[0] ?? assert.fail("there are events")
        const events = `/operator/merchants/${merchantId}/events`
        for (const refused of [
          yield* call("GET", `${events}/${gone}/deliveries`),
          yield* call("POST", `${events}/${gone}/resend`, {}),
          yield* call("POST", `/merchants/${merchantId}/webhooks/${endpointId}/recover`, {
            since: "2025-01-10T00:00:00Z"
          })
        ]) {
          assert.strictEqual(refused.status, 409, refused.text)
          assert.strictEqual(refused.body.code, "event_archived")
          assert.include(refused.body.detail, "Events of 2025-01 are in the platform's archive")
        }
        const unknown = yield* call("GET", `${events}/${EventId.fromUuid(crypto.randomUUID())}/deliveries`)
        assert.strictEqual(unknown.status, 404)

        const restored = yield* surety("archive", "restore", to)
        assert.strictEqual(restored.code, 0, restored.stderr)
        assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        assert.strictEqual((yield* call("GET", `${events}/${gone}/deliveries`)).status, 200)
        const after = yield* surety("verify")
        assert.strictEqual(after.code, 0, after.stdout + after.stderr)
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(stores))),
    300_000
  )
})
