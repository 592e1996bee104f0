import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgRoles from "@surety/postgres/PgRoles"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"

interface Excess {
  /** Statement that gives the role more than it needs for serving. `taken` undoes it. */
  readonly given: string
  readonly taken: string
  readonly found: ReadonlyArray<string>
}

const appended = "may change append-only records"
const needless = "has rights that serving does not need"

const right = (to: string, what: string, ...found: ReadonlyArray<string>): Excess => ({
  given: `grant ${what} to ${to}`,
  taken: `revoke ${what} from ${to}`,
  found
})

const attribute = (of: string, name: string, found: string): Excess => ({
  given: `alter role ${of} ${name}`,
  taken: `alter role ${of} no${name}`,
  found: [found]
})

const owned = (by: string, what: string, found: ReadonlyArray<string>): Excess => ({
  given: `alter ${what} owner to ${by}`,
  taken: `alter ${what} owner to postgres`,
  found
})

const everyExcess = (role: string, other: string, database: string): ReadonlyArray<Excess> => [
  attribute(role, "superuser", "is a superuser"),
  attribute(role, "createrole", "may create roles"),
  attribute(role, "createdb", "may create databases"),
  attribute(role, "replication", "may read the whole server by replication"),
  attribute(role, "bypassrls", "bypasses row security"),
  right(role, "pg_read_server_files", "is a member of pg_read_server_files"),
  right(role, "pg_write_server_files", "is a member of pg_write_server_files"),
  right(role, "pg_execute_server_program", "is a member of pg_execute_server_program"),
  right(
    role,
    "pg_read_all_data",
    "is a member of pg_read_all_data",
    `${needless}: select archive_part, select erasure`
  ),
  right(role, other, `may become ${other}, which may create roles`),
  owned(role, `database ${database}`, ["owns the database"]),
  owned(role, "schema surety", ["owns the schema surety"]),
  owned(role, "table surety.transfer", ["owns tables"]),
  right(role, `create on database ${database}`, "may create schemas in the database"),
  right(role, "create on schema surety", "may create tables in the schema surety"),
  right(role, "update on surety.event", `${appended}: update event`),
  right(role, "delete on surety.identity_read", `${appended}: delete identity_read`),
  right(role, "truncate on surety.transfer", `${appended}: truncate transfer`),
  right(role, "update (id) on surety.consumer", `${appended}: update consumer`),
  right(role, "insert (committed_by) on surety.transfer", `${appended}: insert transfer`),
  right(role, "delete on surety.refund", `${needless}: delete refund`),
  right(role, "trigger on surety.merchant", `${needless}: trigger merchant`),
  right(role, "select on surety.erasure", `${needless}: select erasure`),
  right(role, "select (begun_by) on surety.archive_part", `${needless}: select archive_part`)
]

const execute = (statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => Effect.asVoid(sql.unsafe(statement).unprepared))

it.layer(MigratedDatabase.layer, { timeout: 60_000 })("The rights of a role", (it) => {
  const prepared = Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const database = new URL(Redacted.value(url)).pathname.slice(1)
    // Roles belong to the whole server, which other tests share, so their names are unique.
    const suffix = randomUUID().slice(0, 8)
    const [role, other] = [`rights_${suffix}`, `admin_${suffix}`]
    const asOwner = Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
    yield* Effect.acquireRelease(
      asOwner(
        Effect.gen(function* () {
          yield* execute(`create role ${role} login`)
          yield* execute(`create role ${other} createrole`)
          yield* PgRoles.grant(role)
        })
      ),
      () =>
        Effect.forEach(
          [`drop owned by ${role} cascade`, `drop role ${role}`, `drop role ${other}`],
          (statement) => Effect.orDie(asOwner(execute(statement))),
          { discard: true }
        )
    )
    const served = new URL(Redacted.value(url))
    served.username = role
    const asServer = Effect.provide(PgClient.layer({ url: Redacted.make(served.href), maxConnections: 1 }))
    return { asOwner, asServer, database, other, rights: asServer(PgRoles.serverRights), role, url }
  })

  it.effect("beyond serving are named, each", () =>
    Effect.gen(function* () {
      const { asOwner, database, other, rights, role } = yield* prepared
      assert.deepStrictEqual(yield* rights, { role, excess: [] })
      for (const { found, given, taken } of everyExcess(role, other, database)) {
        yield* asOwner(execute(given))
        const { excess } = yield* rights
        yield* asOwner(execute(taken))
        assert.deepStrictEqual(excess, found, given)
      }
      // Restores the privileges that the role lost with the table's ownership.
      yield* asOwner(PgRoles.grant(role))
      assert.deepStrictEqual(yield* rights, { role, excess: [] })
    })
  )

  it.effect("are lacking where one column's is: a later version's, before the role is given its rights again", () =>
    Effect.gen(function* () {
      const { asOwner, asServer, role } = yield* prepared
      const lacked = asServer(PgRoles.lackedRights)
      assert.deepStrictEqual(yield* lacked, [])
      for (const table of ["event", "operator_transfer", "refund", "transfer"]) {
        yield* asOwner(execute(`alter table surety.${table} add column later text`))
        const found = yield* lacked
        yield* asOwner(execute(`alter table surety.${table} drop column later`))
        assert.deepStrictEqual(found, [`table ${table}`])
      }
      yield* asOwner(execute(`revoke update (country) on surety.consumer from ${role}`))
      assert.deepStrictEqual(yield* lacked, ["table consumer"])
      yield* asOwner(PgRoles.grant(role))
      assert.deepStrictEqual(yield* lacked, [])
    })
  )

  it.effect("are also those of the role that connected: set role gives up none for good", () =>
    Effect.gen(function* () {
      const { role, url } = yield* prepared
      const given = new URL(Redacted.value(url))
      given.searchParams.set("options", `-crole=${role}`)
      const { excess, role: current } = yield* Effect.provide(
        PgRoles.serverRights,
        PgClient.layer({ url: Redacted.make(given.href), maxConnections: 1 })
      )
      assert.strictEqual(current, role)
      assert.deepStrictEqual(excess, [`may become ${given.username}, which is a superuser`])
    })
  )

  it.effect("beyond serving are at most five by name", () =>
    Effect.gen(function* () {
      const { asOwner, rights, role } = yield* prepared
      yield* asOwner(execute(`grant delete on all tables in schema surety to ${role}`))
      const { excess } = yield* rights
      assert.lengthOf(excess, 2)
      for (const line of excess) assert.match(line, /^[^:]+: (delete \w+, ){5}\d+ more$/)
    })
  )
})
