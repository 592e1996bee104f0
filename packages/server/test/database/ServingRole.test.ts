import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"
import { connected } from "../support/connected.js"
import { merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"
import { paid, refunding, request } from "../support/Requests.js"
import { serverProcess } from "../support/ServerProcess.js"

const tests = fileURLToPath(new URL("..", import.meta.url))

describe("The tests' servers", () => {
  it.live(
    "serve as the role that may only serve, with every connection",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const settings = production(url, { PROVISIONING: "open" })
        const server = yield* serverProcess(settings)
        const merchant = yield* merchantWithConsumer(server)
        const refund = yield* request(server, refunding(merchant, yield* paid(server, merchant, 10), "once", 1))
        assert.strictEqual(refund.status, 201, refund.text)
        const owner = yield* connected(Redacted.value(url))
        const { rows } = yield* Effect.promise(() =>
          owner.query(`select a.usename as role, count(*)::int as connections from pg_stat_activity a
            where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
            group by 1`)
        )
        assert.deepStrictEqual(
          rows.map(({ role }) => role),
          [RunDatabase.servingRole()]
        )
        assert.isAtLeast(rows[0].connections, 2)
        const doctor = (databaseUrl: Redacted.Redacted) =>
          Effect.map(
            Effect.promise(() => runHere(["doctor"], { ...settings, DATABASE_URL: Redacted.value(databaseUrl) })),
            ({ stdout }) => stdout
          )
        assert.include(
          yield* doctor(RunDatabase.asServing(url)),
          `ok role: ${RunDatabase.servingRole()} has the rights that serving needs, and no others.`
        )
        assert.match(yield* doctor(url), /^advice role: \w+ is a superuser\. Serve as a role that cannot: /m)
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    120_000
  )

  it("serve as the owner of their tables in these files alone", () => {
    const found = readdirSync(tests, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("support"))
      .filter((file) => readFileSync(path.join(tests, file), "utf8").includes("asOwner: "))
    assert.sameMembers(found, [
      "FirstStart.test.ts",
      "cells/grown.test.ts",
      "database/ServingRole.test.ts",
      "embedding/restore.test.ts"
    ])
  })
})
