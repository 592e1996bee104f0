import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Database from "../Database.js"
import { settings } from "./environment.js"
import { withApp } from "./withApp.js"

/** `surety migrate`: brings the database's schema up to date, which `serve` also does. */
export const migrate = Command.make(
  "migrate",
  {},
  Effect.fn("surety migrate")(function* () {
    const current = yield* settings
    yield* withApp(Console.log(`The schema of ${Database.describe(current)} is up to date.`))
  })
).pipe(Command.withDescription("Bring the database's schema up to date, and exit."))
