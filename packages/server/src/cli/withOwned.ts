import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import { Effect } from "effect"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import * as startFailed from "../startFailures.js"
import { settings } from "./environment.js"

/** What only the owner of the tables may do. */
interface Owned<Part, RPart> {
  readonly part: Effect.Effect<Part, never, RPart>
  readonly may: (part: Part) => Effect.Effect<boolean, StoreError>
  /** The error for another role. */
  readonly refusal: string
}

/** Runs `work` on the migrated database of the settings, if this role owns its tables. */
export const withOwned =
  <Part, RPart>({ may, part, refusal }: Owned<Part, RPart>) =>
  <A, E, R>(work: (part: Part) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const current = yield* settings
      if (Database.isToBeMade(current)) return yield* startFailed.noDatabase(current)
      const owned = Effect.gen(function* () {
        yield* PgMigrations.readiness
        const made = yield* part
        return (yield* may(made)) ? made : yield* new StartFailed({ message: refusal })
      })
      return yield* Effect.flatMap(
        Effect.catchTags(owned, {
          DatabaseIsNewer: (cause) => startFailed.database(current, cause),
          DatabaseNotMigrated: (cause) => startFailed.database(current, cause),
          DatabasePredatesRelease: (cause) => startFailed.database(current, cause),
          StoreError: (cause) => startFailed.database(current, cause)
        }),
        work
      ).pipe(Effect.provide([Database.layer(current), Logging.layer(current)]))
    })
