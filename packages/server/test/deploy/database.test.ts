import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { connected } from "../support/connected.js"
import { application, production } from "../support/Production.js"
import { serverProcess } from "../support/ServerProcess.js"
import { readDeployFile } from "./DeployFile.js"

const password = "a-password-of-its-own"

/** What psql makes of the file: its variables put in, and each statement; those before `\gexec` make the next one. */
const statements = (role: string): ReadonlyArray<{ readonly text: string; readonly isRun: boolean }> =>
  readDeployFile("database.sql")
    .replace(/^--.*$|^\\getenv .*$/gm, "")
    .replaceAll(":'password'", `'${password}'`)
    .replaceAll("surety_server", role)
    .split(/(?:;|(?<=\\gexec))\n/)
    .map((text) => ({ text: text.replace("\\gexec", "").trim(), isRun: text.includes("\\gexec") }))
    .filter(({ text }) => text !== "")

it.live(
  "database.sql makes a user that is enough for the server, and is no superuser",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const owner = yield* connected(Redacted.value(url))
      const own = new URL(Redacted.value(url))
      // Users are the whole server's, databases are not: other tests use the same server.
      const role = `surety_server${own.pathname.slice(1, 14)}`
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          for (const { isRun, text } of statements(role)) {
            const { rows } = await owner.query(text)
            if (isRun) for (const row of rows) await owner.query(row.statement)
          }
        }),
        () => Effect.promise(async () => void (await owner.query(`drop owned by ${role} cascade; drop role ${role}`)))
      )
      const { rows } = yield* Effect.promise(() =>
        owner.query(
          "select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = $1",
          [role]
        )
      )
      assert.deepStrictEqual(rows, [
        { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false }
      ])
      own.username = role
      own.password = password
      yield* Effect.gen(function* () {
        const server = yield* serverProcess(production(Redacted.make(own.href)))
        const answers = yield* Effect.promise(async () => {
          const made = await fetch(`${server.url}/merchants`, {
            method: "POST",
            headers: { authorization: `Bearer ${server.operatorToken}`, "content-type": "application/json" },
            body: JSON.stringify(application)
          })
          return [made.status, (await fetch(`${server.url}/readyz`)).status]
        })
        assert.deepStrictEqual(answers, [201, 200])
        const client = yield* connected(own.href)
        for (const forbidden of [
          "create table public.t ()",
          "create schema other",
          "create temporary table t ()",
          "copy (select 1) to program 'true'",
          "select pg_read_file('/etc/passwd')"
        ]) {
          const failed = yield* Effect.promise(() =>
            client.query(forbidden).then(
              () => "done",
              ({ code }) => code
            )
          )
          assert.strictEqual(failed, "42501", forbidden)
        }
      }).pipe(Effect.scoped)
    }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
  120_000
)
