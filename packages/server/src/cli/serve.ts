import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Logging from "../Logging.js"
import * as Server from "../Server.js"
import { misspeltSettings } from "../settings/misspeltSettings.js"
import { ProcessEnvironment, settings } from "./environment.js"

export const serve = Command.make(
  "serve",
  {},
  // No span here: it would be the parent of every other span.
  Effect.fnUntraced(function* () {
    yield* Logging.outliveReaders
    return yield* Server.run(yield* settings, misspeltSettings(yield* ProcessEnvironment))
  }, Effect.scoped)
)
