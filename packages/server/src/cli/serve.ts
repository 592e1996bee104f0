import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Server from "../Server.js"
import { misspeltSettings } from "../settings/misspeltSettings.js"
import { ProcessEnvironment, settings } from "./environment.js"

/** `surety serve`: runs until stopped. */
export const serve = Command.make(
  "serve",
  {},
  // Without a span, which would be the parent of every other.
  Effect.fnUntraced(function* () {
    return yield* Server.run(yield* settings, misspeltSettings(yield* ProcessEnvironment))
  })
)
