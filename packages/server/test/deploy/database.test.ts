import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { connected } from "../support/connected.js"
import { application, production } from "../support/Production.js"
import { runSurety, serverProcess } from "../support/ServerProcess.js"
import { readDeployFile } from "./DeployFile.js"

const passwords = { owner_password: "a-password-of-its-own", password: "another-password" }

/**
 * Returns the statements of `database.sql` as psql would run them, with variables filled in and `own` appended to role
 * names. `isRun` marks a statement that returns further statements, which psql runs next.
 */
const statements = (own: string): ReadonlyArray<{ readonly text: string; readonly isRun: boolean }> =>
  readDeployFile("database.sql")
    .replace(/^--.*$|^\\getenv .*$/gm, "")
    .replace(/:'(\w+)'/g, (_, name: keyof typeof passwords) => `'${passwords[name]}'`)
    .replace(/surety_(owner|server)/g, `$&${own}`)
    .split(/(?:;|(?<=\\gexec))\n/)
    .map((text) => ({ text: text.replace("\\gexec", "").trim(), isRun: text.includes("\\gexec") }))
    .filter(({ text }) => text !== "")

it.live(
  "database.sql makes a user that can migrate, one that can only serve, and no superuser",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const owner = yield* connected(Redacted.value(url))
      const own = new URL(Redacted.value(url))
      // Roles, unlike databases, belong to the whole server. Other tests share the server, so role names get a suffix.
      const suffix = own.pathname.slice(1, 14)
      const roles = [`surety_owner${suffix}`, `surety_server${suffix}`]
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          for (const { isRun, text } of statements(suffix)) {
            const { rows } = await owner.query(text)
            if (isRun) for (const row of rows) await owner.query(row.statement)
          }
        }),
        () =>
          Effect.promise(async () => {
            const names = roles.join(", ")
            await owner.query(`drop owned by ${names} cascade; drop role ${names}`)
          })
      )
      const { rows } = yield* Effect.promise(() =>
        owner.query(
          "select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = any ($1)",
          [roles]
        )
      )
      const nothing = {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false
      }
      assert.deepStrictEqual(rows, [nothing, nothing])
      const as = (role: string, password: string): string => {
        own.username = role
        own.password = password
        return own.href
      }
      const [migrating = "", serving = ""] = roles
      const environment = production(Redacted.make(as(migrating, passwords.owner_password)))
      const migrated = yield* Effect.promise(() => runSurety(["migrate", "--serve-as", serving], environment))
      assert.strictEqual(migrated.code, 0, migrated.stderr)
      const served = { ...environment, DATABASE_URL: as(serving, passwords.password) }
      yield* Effect.gen(function* () {
        const server = yield* serverProcess(served)
        const answers = yield* Effect.promise(async () => {
          const made = await fetch(`${server.url}/merchants`, {
            method: "POST",
            headers: { authorization: `Bearer ${server.operatorToken}`, "content-type": "application/json" },
            body: JSON.stringify(application)
          })
          return [made.status, (await fetch(`${server.url}/readyz`)).status]
        })
        assert.deepStrictEqual(answers, [201, 200])
        const client = yield* connected(served.DATABASE_URL)
        for (const forbidden of [
          "create table public.t ()",
          "create table surety.t ()",
          "delete from surety.transfer",
          "update surety.consent_receipt set body = body",
          "set surety.retained = 'identity_read'; delete from surety.identity_read",
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
