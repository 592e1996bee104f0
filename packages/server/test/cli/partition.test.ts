import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, Redacted } from "effect"
import { fencesIn, textOf } from "../docs/Fence.js"
import { runHere } from "../support/CommandHere.js"
import { runSurety } from "../support/ServerProcess.js"
import { servingRole } from "../support/servingRole.js"

const page = "docs/platform/partitions.md"

const database = RunDatabase.layerFrom("surety", Effect.scoped(Layer.build(PgMigrations.layer)))

it.live(
  "surety partition says what it would do, does it once, and is for the tables' owner",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const directory = mkdtempSync(path.join(tmpdir(), "surety-partition-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
      const environment = {
        DATABASE_URL: Redacted.value(url),
        DATA_DIR: directory,
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        LOG_LEVEL: "warning"
      }
      const surety = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = environment) =>
        Effect.promise(() => runHere(args, env))
      // Runs the command as the page shows it.
      const [asked] = fencesIn(page, textOf(page))
      const words = (asked?.code ?? "").trim().split(" ").slice(1)
      const plan = yield* Effect.promise(() => runSurety(words, environment))
      assert.strictEqual(plan.stdout.trim().split("\n").length, 5)
      assert.match(plan.stdout, /^event: one table, about 0 rows\. .* each month from \d{4}-\d{2}-01 its own\.$/m)

      const serving = yield* servingRole(url, environment.SECRETS_KEY)
      const refused = yield* surety(["partition", "apply"], { ...environment, DATABASE_URL: serving.url })
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "Only the tables' owner may partition them")

      const applied = yield* surety(["partition", "apply"])
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.deepStrictEqual(applied.stdout.trim().split("\n"), [
        "identity_read: now partitioned by month",
        "operator_action: now partitioned by month",
        "event: now partitioned by month",
        "delivery: now partitioned by month",
        "delivery_attempt: now partitioned by month",
        "All of them have partitions for the next 3 months."
      ])
      const known = yield* surety(words)
      assert.match(known.stdout, /^event: by month, about 0 rows in [3-5] partitions$/m)
      assert.include((yield* surety(["partition", "apply"])).stdout, "event: already partitioned by month")
      assert.include((yield* surety(["verify"])).stdout, "Everything adds up.")
    }).pipe(Effect.scoped, Effect.provide(database)),
  120_000
)
