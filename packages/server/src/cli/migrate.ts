import * as PgMigrations from "@surety/postgres/PgMigrations"
import { PgSettings } from "@surety/postgres/PgSettings"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import * as startFailed from "../startFailures.js"
import { settings } from "./environment.js"
import { withApp } from "./withApp.js"

const print = Flag.Boolean("print").pipe(
  Flag.withDescription("Change nothing: print the pending steps as one SQL script."),
  Flag.withDefault(false)
)

const printPending = Effect.gen(function* () {
  const current = yield* settings
  if (Database.isToBeMade(current)) return yield* Console.log(PgMigrations.script((yield* PgSettings).schema).trimEnd())
  const script = yield* PgMigrations.pendingScript.pipe(
    Effect.provide([Database.layer(current), Logging.layer(current)]),
    Effect.mapError((cause) => startFailed.database(current, cause))
  )
  yield* Console.log(script === "" ? "-- No step is pending." : script.trimEnd())
})

const run = Effect.gen(function* () {
  const current = yield* settings
  yield* withApp("make", Console.log(`The schema of ${Database.describe(current)} is up to date.`))
})

/** `surety migrate`: runs pending migrations, as `serve` does, or prints them. */
export const migrate = Command.make("migrate", { print }, (given) => (given.print ? printPending : run)).pipe(
  Command.withDescription("Bring the database's schema up to date, and exit.")
)
