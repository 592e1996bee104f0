import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import { PgSettings } from "@surety/postgres/PgSettings"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as App from "../App.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import * as startFailed from "../startFailures.js"
import { settings } from "./environment.js"
import { withApp } from "./withApp.js"

const print = Flag.Boolean("print").pipe(
  Flag.withDescription("Change nothing: print the pending steps as one SQL script."),
  Flag.withDefault(false)
)

const serveAs = Flag.String("serve-as").pipe(
  Flag.withDescription(
    "Then let this role serve: give it the rights that a server needs, and take any others it has in the schema. Run as " +
      "the tables' owner, after each upgrade."
  ),
  Flag.optional
)

const grantsTo = (role: Option.Option<string>, schema: string): ReadonlyArray<string> =>
  Option.isSome(role) ? [PgRoles.script(schema, role.value).trimEnd()] : []

const printPending = Effect.fnUntraced(function* (role: Option.Option<string>) {
  const current = yield* settings
  const { schema } = yield* PgSettings
  if (Database.isToBeMade(current)) {
    return yield* Console.log([PgMigrations.script(schema).trimEnd(), ...grantsTo(role, schema)].join("\n\n"))
  }
  const script = yield* PgMigrations.pendingScript.pipe(
    Effect.provide([Database.layer(current), Logging.layer(current)]),
    Effect.mapError((cause) => startFailed.database(current, cause))
  )
  const steps = script === "" ? "-- No step is pending." : script.trimEnd()
  yield* Console.log([steps, ...grantsTo(role, schema)].join("\n\n"))
})

const run = Effect.fnUntraced(function* (role: Option.Option<string>) {
  const current = yield* settings
  if ((yield* App.poolingOf(current))._tag === "Transactions") return yield* startFailed.poolerMigrates(current)
  yield* withApp("make", Console.log(`The schema of ${Database.describe(current)} is up to date.`))
  if (Option.isNone(role)) return
  if (current.databaseUrl === undefined) {
    return yield* new StartFailed({
      message: "The embedded database has no roles. Set DATABASE_URL, or omit --serve-as."
    })
  }
  yield* PgRoles.grant(role.value).pipe(
    Effect.provide([Database.layer(current), Logging.layer(current)]),
    Effect.catchTag("RoleNotGranted", ({ message }) => new StartFailed({ message }))
  )
  yield* Console.log(`${role.value} may serve, and no more.`)
})

/** `surety migrate`: runs pending migrations, as `serve` does, or prints them. */
export const migrate = Command.make("migrate", { print, serveAs }, (given) =>
  given.print ? printPending(given.serveAs) : run(given.serveAs)
)
