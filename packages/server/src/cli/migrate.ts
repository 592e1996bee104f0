import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import { PgSettings } from "@surety/postgres/PgSettings"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as App from "../App.js"
import * as CellDatabases from "../cells/CellDatabases.js"
import { eachDatabase } from "../cells/eachDatabase.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting, CellSettings } from "../settings/cellSettings.js"
import { cellsOf, type Settings } from "../settings/Settings.js"
import * as startFailed from "../startFailures.js"
import { settings } from "./environment.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { withApp } from "./withApp.js"
import { unusable } from "./withOwned.js"

const print = Flag.Boolean("print").pipe(
  Flag.withDescription("Print the pending migrations as one SQL script; change nothing."),
  Flag.withDefault(false)
)

const serveAs = Flag.String("serve-as").pipe(
  Flag.withDescription(
    "Then let this role serve: grant it the rights that a server needs, and revoke any others that it has in the schema. " +
      "Run as the tables' owner, after each upgrade."
  ),
  Flag.optional
)

const grantsTo = (role: Option.Option<string>, schema: string): ReadonlyArray<string> =>
  Option.isSome(role) ? [PgRoles.script(schema, role.value).trimEnd()] : []

/** Prints a database's pending migrations as one script, with the grants to `role` if given. */
const pendingOf = Effect.fnUntraced(function* (
  current: Settings,
  cell: CellSetting | undefined,
  role: Option.Option<string>
) {
  const { schema } = yield* PgSettings
  const script = yield* Effect.mapError(PgMigrations.pendingScript, (cause) => unusable(current, cell, cause))
  const steps = script === "" ? "-- No migration is pending." : script.trimEnd()
  yield* Console.log([steps, ...grantsTo(role, schema)].join("\n\n"))
})

const printPending = Effect.fnUntraced(function* (role: Option.Option<string>) {
  const current = yield* settings
  const { schema } = yield* PgSettings
  if (Database.isToBeMade(current)) {
    return yield* Console.log([PgMigrations.script(schema).trimEnd(), ...grantsTo(role, schema)].join("\n\n"))
  }
  yield* Effect.provide(
    eachDatabase(current, Option.none(), (cell) => pendingOf(current, cell, role)),
    Logging.layer(current)
  )
})

/** Grants a role the privileges that serving requires, and revokes its other privileges in the schema. */
const grant = (role: string) =>
  Effect.catchTag(PgRoles.grant(role), "RoleNotGranted", ({ message }) => new StartFailed({ message }))

const runInCells = Effect.fnUntraced(function* (current: Settings, cells: CellSettings, role: Option.Option<string>) {
  for (const { name, url } of cells) {
    const pooling = yield* App.poolingOf({ ...current, databaseUrl: url })
    if (pooling._tag === "Transactions") {
      return yield* new StartFailed({
        message: `A pooler in transaction mode is in front of the cell "${name}", but migrations need a session.`
      })
    }
  }
  yield* Effect.andThen(DirectoryTables.migrate(), CellDatabases.enterUnknown(current, cells)).pipe(
    Effect.provide([Database.layer(current), Logging.layer(current)]),
    Effect.mapError(({ message }) => new StartFailed({ message: `The directory cannot be migrated: ${message}` }))
  )
  yield* withApp("make", Console.log("The directory of cells is up to date."))
  // Opening the stores skips a cell that does not respond, unless it is the home cell. This step connects to every
  // cell, so it fails if any does not respond.
  yield* eachDatabase(current, Option.none(), () =>
    Effect.gen(function* () {
      yield* PgMigrations.run
      if (Option.isSome(role)) yield* grant(role.value)
      yield* Console.log("The schema is up to date.")
    })
  ).pipe(
    Effect.provide(Logging.layer(current)),
    Effect.mapError((cause) =>
      cause instanceof StartFailed
        ? cause
        : new StartFailed({ message: `The cell cannot be migrated: ${cause.message}` })
    )
  )
  if (Option.isNone(role)) return
  yield* DirectoryTables.grant(role.value).pipe(
    Effect.provide([Database.layer(current), Logging.layer(current)]),
    Effect.mapError(
      ({ message }) => new StartFailed({ message: `The directory's rights cannot be granted: ${message}` })
    )
  )
  yield* Console.log(`${role.value} has the rights to serve, and no others.`)
})

const run = Effect.fnUntraced(function* (role: Option.Option<string>) {
  const current = yield* settings
  if ((yield* App.poolingOf(current))._tag === "Transactions") return yield* startFailed.poolerMigrates(current)
  const cells = cellsOf(current)
  if (cells !== undefined) return yield* runInCells(current, cells, role)
  yield* withApp("make", Console.log(`The schema of ${Database.describe(current)} is up to date.`))
  if (Option.isNone(role)) return
  if (current.databaseUrl === undefined) {
    return yield* new StartFailed({
      message: "The embedded database has no roles. Set DATABASE_URL, or omit --serve-as."
    })
  }
  yield* Effect.provide(grant(role.value), [Database.layer(current), Logging.layer(current)])
  yield* Console.log(`${role.value} has the rights to serve, and no others.`)
})

export const migrate = Command.make("migrate", everyMistake({ print, serveAs }), (given) =>
  given.print ? printPending(given.serveAs) : run(given.serveAs)
)
