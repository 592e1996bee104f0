import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as TransactionPooler from "@surety/testing/machine/TransactionPooler"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { connected } from "../support/connected.js"
import { merchantWithConsumer, send } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { asking, listed, paid, persist, refunding, tally, verifying } from "../support/Requests.js"
import { audit, environmentOf, sound } from "../support/ServerPair.js"
import { runSurety, serverProcess } from "../support/ServerProcess.js"

const patience = 180_000
const count = 12

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => runSurety(args, env))

/**
 * Query for session state that no transaction should leave on a backend. Excludes the prepared statement of the refused
 * start, and the two settings that clients send on connecting. Also excludes the running transaction's `transaction_*`
 * settings, because PostgreSQL also reports their source as `session`.
 */
const leftOn = `select pg_backend_pid() as pid,
  (select count(*)::int from pg_prepared_statements where statement not like '%that surety prepared%') as prepared,
  (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
  (select count(*)::int from pg_listening_channels()) as channels,
  (select count(*)::int from pg_class where relpersistence = 't') as temporary,
  (select coalesce(string_agg(name, ',' order by name), '') from pg_settings
    where source = 'session' and name not in ('application_name', 'client_encoding')
      and name not like 'transaction\\_%') as settings`

describe("Behind a pooler in transaction mode", () => {
  it.live(
    "a server keeps nothing in its sessions, refuses what needs one, and says which setting is wrong",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const pooler = yield* TransactionPooler.make(url)
        // The pooler lends each connection to any client, so all clients connect as the same user.
        const pooled = RunDatabase.asServing(pooler.url)
        const wrong: Readonly<Record<string, string>> = { ...environmentOf(pooled), PORT: "0" }
        const environment = { ...wrong, DATABASE_PREPARED_STATEMENTS: "off" }

        const refused = yield* run(["serve"], wrong)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /^A pooler in transaction mode .*DATABASE_PREPARED_STATEMENTS=off/s)
        const migrating = yield* run(["migrate"], environment)
        assert.strictEqual(migrating.code, 1)
        assert.match(migrating.stderr, /^A pooler in transaction mode .*PostgreSQL's own address/s)
        const statements = yield* TransactionPooler.make(url, "statement")
        const impossible = yield* run(["serve"], {
          ...environment,
          ...environmentOf(RunDatabase.asServing(statements.url))
        })
        assert.strictEqual(impossible.code, 1)
        assert.match(impossible.stderr, /^A pooler in statement mode .*Set pool_mode to session or transaction\.$/m)
        for (const { stderr } of [refused, migrating, impossible]) {
          assert.notInclude(stderr, new URL(Redacted.value(pooled)).password)
        }

        const server = yield* serverProcess(environment)
        assert.strictEqual((yield* send(server, "GET", "/readyz")).status, 200)
        const merchant = yield* merchantWithConsumer(server)
        const transactionId = yield* paid(server, merchant, 1000)
        const requests = Array.from({ length: count }, (_, index) => [
          refunding(merchant, transactionId, `key-${index}`, 1),
          verifying(merchant, `key-${index}`),
          asking(merchant, `key-${index}`)
        ]).flat()
        const answers = yield* Effect.forEach(requests, (sent) => persist(server, sent), { concurrency: 8 })
        assert.deepStrictEqual(tally(answers), { 201: requests.length })
        const again = yield* Effect.forEach(requests, (sent) => persist(server, sent), { concurrency: 8 })
        assert.deepStrictEqual(
          again.map(({ text }) => text),
          answers.map(({ text }) => text)
        )
        assert.lengthOf(yield* listed(server, merchant, "/v1/refunds"), count)
        assert.deepStrictEqual(yield* audit(environment), sound)

        const client = yield* connected(Redacted.value(pooled))
        const backends = new Set<number>()
        for (let round = 0; round < 60; round += 1) {
          const { rows } = yield* Effect.promise(() => client.query(leftOn))
          const { pid, ...left } = rows[0]
          backends.add(pid)
          assert.deepStrictEqual(left, { prepared: 0, locks: 0, channels: 0, temporary: 0, settings: "" })
        }
        assert.isAtLeast(backends.size, 2)
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "a server waits for tables of its release, which it does not make there",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const pooler = yield* TransactionPooler.make(url)
        const client = yield* connected(Redacted.value(url))
        yield* Effect.promise(() =>
          client.query("delete from surety.surety_migrations where id = (select max(id) from surety.surety_migrations)")
        )
        const environment = { ...environmentOf(pooler.url), PORT: "0", DATABASE_PREPARED_STATEMENTS: "off" }
        const { code, stderr } = yield* run(["serve"], environment)
        assert.strictEqual(code, 1)
        assert.include(stderr, "Run surety migrate.")
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )
})
