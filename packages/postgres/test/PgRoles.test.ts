import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgRoles from "@surety/postgres/PgRoles"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Schema } from "effect"
import * as TestStores from "./TestStores.js"

const insufficientPrivilege = "42501"

const codeOf = (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.unsafe(statement).unprepared.pipe(
      Effect.as("done"),
      Effect.catch(({ reason }) => Effect.succeed(String(Reflect.get(Object(reason.cause), "code"))))
    )
  })

const decodeTables = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

it.layer(TestStores.serving, { timeout: 60_000 })("A role that serves", (it) => {
  it.effect("changes and deletes nothing that is append-only, under any setting of its own", () =>
    Effect.gen(function* () {
      for (const [table, column] of Object.entries({
        consent_receipt: "body",
        event: "body",
        identity_read: "user_id",
        kyc_evidence: "user_id",
        merchant_status_change: "merchant_id",
        operator_action: "id",
        operator_transfer: "user_id",
        secret_key: "canary",
        transfer: "amount_minor"
      })) {
        for (const statement of [
          `update surety.${table} set ${column} = ${column}`,
          `delete from surety.${table}`,
          `truncate surety.${table}`,
          `do $$ begin perform set_config('surety.retained', '${table}', true); delete from surety.${table}; end $$`,
          `alter table surety.${table} disable trigger all`
        ]) {
          const code = yield* codeOf(statement)
          assert.strictEqual(code, insufficientPrivilege, statement)
        }
      }
    })
  )

  it.effect("gives no one's record to another, whose id the record follows", () =>
    Effect.gen(function* () {
      for (const statement of [
        "do $$ begin perform set_config('surety.erased_as', 'mine', true); update surety.consumer set id = 'mine'; end $$",
        "update surety.consumer set service_id = service_id",
        "update surety.consumer set environment = environment",
        "delete from surety.consumer"
      ]) {
        assert.strictEqual(yield* codeOf(statement), insufficientPrivilege, statement)
      }
      assert.strictEqual(yield* codeOf("update surety.consumer set country = country"), "done")
      const renamed = `select surety.erase_person('{"environment":"TEST","user_id":"one","pseudonym":"other"}')`
      assert.strictEqual(yield* codeOf(renamed), "22023")
    })
  )

  it.effect("makes no table and no function, and drops none", () =>
    Effect.gen(function* () {
      for (const statement of [
        "create table surety.mine ()",
        "create function surety.mine() returns int language sql as 'select 1'",
        "drop table surety.transfer",
        "drop function surety.refuse_change() cascade",
        "alter function surety.erase_person(json) security invoker",
        "insert into surety.surety_migrations (id, name) values (99, 'mine')",
        "delete from surety.surety_functions"
      ]) {
        assert.strictEqual(yield* codeOf(statement), insufficientPrivilege, statement)
      }
    })
  )

  it.effect("reads nothing that serving does not need", () =>
    Effect.gen(function* () {
      for (const [columns, table] of [
        ["count(*)", "erasure"],
        ["pseudonym", "erasure"],
        ["begun_by", "archive_part"],
        ["manifest_hash", "archive_part"],
        ["*", "archive_part"]
      ]) {
        const statement = `select ${columns} from surety.${table}`
        assert.strictEqual(yield* codeOf(statement), insufficientPrivilege, statement)
      }
      assert.strictEqual(yield* codeOf("select month, status from surety.archive_part"), "done")
      assert.deepStrictEqual(yield* PgRoles.lackedRights, [])
    })
  )

  it.effect("has its rights to every table of the schema listed", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const found = yield* Effect.flatMap(
        sql`select tablename as name from pg_tables where schemaname = 'surety' and tablename not like 'surety_%'`,
        decodeTables
      )
      assert.sameMembers(
        found.map(({ name }) => name),
        [...PgRoles.servedTables]
      )
    })
  )

  it.effect("has no right beyond serving; the tables' owner has", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* PgRoles.serverRights).excess, [])
      const { url } = yield* TestDatabase
      const { excess } = yield* Effect.provide(PgRoles.serverRights, PgClient.layer({ url, maxConnections: 1 }))
      assert.deepStrictEqual(excess, ["is a superuser"])
    })
  )

  it.effect("is neither everyone, nor a superuser, nor someone with the owner's rights, and then loses nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const asOwner = Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
      const ask = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* sql<{ name: string }>`select current_user as name`
      })
      const [owner] = yield* asOwner(ask)
      for (const role of ["public", owner?.name ?? "", 'odd"; $guard$ -- '] as const) {
        const { message } = yield* asOwner(Effect.flip(PgRoles.grant(role)))
        assert.match(message, /every role|superuser|rights of the owner|does not exist/, role)
      }
      const member = `member_${randomUUID().slice(0, 8)}`
      yield* asOwner(codeOf(`create role ${member}`))
      yield* asOwner(codeOf(`grant "${owner?.name}" to ${member}`))
      const { message } = yield* asOwner(Effect.flip(PgRoles.grant(member)))
      yield* asOwner(codeOf(`drop role ${member}`))
      assert.include(message, "rights of the owner")
      assert.strictEqual(yield* asOwner(codeOf("update surety.consumer set country = country")), "done")
      assert.deepStrictEqual((yield* PgRoles.serverRights).excess, [])
    })
  )

  it.effect("is refused by name if it is missing", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const missing = Effect.flip(PgRoles.grant('nobody"; drop table surety.transfer; --'))
      const error = yield* Effect.provide(missing, PgClient.layer({ url, maxConnections: 1 }))
      assert.include(error.message, "could not be granted the rights to serve")
      assert.include(error.message, "does not exist")
      const own = yield* Effect.flip(PgRoles.grant("postgres"))
      assert.include(own.message, "the tables have another owner")
    })
  )
})
