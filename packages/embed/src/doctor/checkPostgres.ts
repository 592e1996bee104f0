import { PgClient } from "@effect/sql-pg/PgClient"
import * as Finding from "@surety/core/DoctorFinding"
import { toleratedSkewMillis } from "@surety/postgres/PgClock"
import * as PgDurability from "@surety/postgres/PgDurability"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgRoles from "@surety/postgres/PgRoles"
import { Effect, Schema } from "effect"

const oldestVersion = 150_000

const About = Schema.Tuple([Schema.Struct({ role: Schema.String, version: Schema.Int, isReadOnly: Schema.Boolean })])

const Clocks = Schema.Tuple([Schema.Struct({ millis: Schema.Finite })])

const decodeAbout = Schema.decodeUnknownEffect(About)
const decodeClocks = Schema.decodeUnknownEffect(Clocks)

/**
 * Checks that the database is a PostgreSQL primary of a supported version, and that the role has the privileges needed
 * to serve. Reports excess privileges as advice.
 */
const checkRole = Effect.gen(function* () {
  const sql = yield* PgClient
  const [{ isReadOnly, role, version }] = yield* Effect.flatMap(
    sql`
      select current_user::text as role, current_setting('server_version_num')::int as version,
        pg_is_in_recovery() as "isReadOnly"`,
    decodeAbout
  )
  const lacking = yield* PgRoles.lackedRights
  if (version < oldestVersion) {
    return Finding.fault("database", `It is PostgreSQL ${Math.floor(version / 10_000)}. Upgrade it to 15 or newer.`)
  }
  if (isReadOnly) {
    return Finding.fault("database", "It is a read-only replica. Connect to the primary.")
  }
  if (lacking.length > 0) {
    return Finding.fault(
      "database role",
      `${role} lacks rights to ${lacking.join(", ")}. Grant them as described on the page Migrations, ` +
        `under "A role that only serves".`
    )
  }
  return PgRoles.roleFinding("database role", yield* PgRoles.serverRights)
})

const checkClock = Effect.gen(function* () {
  const sql = yield* PgClient
  const before = Date.now()
  const [{ millis }] = yield* Effect.flatMap(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`,
    decodeClocks
  )
  const after = Date.now()
  // The database read its clock between `before` and `after`, so only a time outside these bounds is skew.
  const skew = millis < before ? before - millis : Math.max(0, millis - after)
  const direction = millis < before ? "ahead of" : "behind"
  return skew <= toleratedSkewMillis
    ? Finding.ok("clock", `This machine's clock is at most ${toleratedSkewMillis / 1000} s off the database's.`)
    : Finding.fault(
        "clock",
        `This machine's clock is ${(skew / 1000).toFixed(1)} s ${direction} the database's. Check the time service of ` +
          "both (chronyc tracking)."
      )
})

const checkDurability = Effect.map(PgDurability.read, (durability) => {
  const weaknesses = PgDurability.weaknesses(durability)
  return weaknesses.length === 0
    ? Finding.ok("durability", "A commit is on disk before it is confirmed.")
    : Finding.advice("durability", weaknesses.join(" "))
})

export const checkAgain = "Check that the database responds, then run the doctor again."

const failed = (about: string) => (cause: { readonly message: string }) =>
  Effect.succeed(Finding.fault(about, `It could not be checked: ${cause.message}. ${checkAgain}`))

const embedded = Finding.advice(
  "database",
  "It is embedded, so a crash of the machine can lose confirmed refunds. Use postgresStore except in development."
)

/**
 * Checks the role, version, clock and durability of the database. For an embedded database, only reports that it is for
 * development. Changes nothing.
 */
export const checkPostgres = Effect.flatMap(PgClient, (client) =>
  PgliteDatabase.isEmbedded(client)
    ? Effect.succeed([embedded])
    : Effect.all([
        Effect.catch(checkRole, failed("database role")),
        Effect.catch(checkClock, failed("clock")),
        Effect.catch(checkDurability, failed("durability"))
      ])
)
