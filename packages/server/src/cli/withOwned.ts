import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import { Effect, type Option } from "effect"
import * as CellDatabases from "../cells/CellDatabases.js"
import { eachDatabase } from "../cells/eachDatabase.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"
import * as startFailed from "../startFailures.js"
import { settings } from "./environment.js"

/** A part of the store, with a check that the database role may use it. */
interface Owned<Part, RPart> {
  readonly part: Effect.Effect<Part, never, RPart>
  readonly may: (part: Part) => Effect.Effect<boolean, StoreError>
  readonly refusal: string
}

/**
 * Builds the error for an unusable database: the database of `cell`, or the single one. A `StartFailed` stays
 * unchanged.
 */
export const unusable = (settings: Settings, cell: CellSetting | undefined, cause: unknown): StartFailed => {
  if (cause instanceof StartFailed) return cause
  return cell === undefined ? startFailed.database(settings, cause) : CellDatabases.because(cell.name)(cause)
}

/**
 * Runs `work` on the configured database, or on each chosen cell's database. Fails with `StartFailed` if a database is
 * missing or does not fit this release, or if `may` returns false. `work` gets the database's cell, if cells are
 * configured.
 */
export const withOwned =
  <Part, RPart>({ may, part, refusal }: Owned<Part, RPart>) =>
  <A, E, R>(only: Option.Option<string>, work: (part: Part, cell: CellSetting | undefined) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const current = yield* settings
      if (Database.isToBeMade(current)) return yield* startFailed.noDatabase(current)
      const owned = Effect.gen(function* () {
        yield* PgMigrations.readiness
        const made = yield* part
        return (yield* may(made)) ? made : yield* new StartFailed({ message: refusal })
      })
      return yield* eachDatabase(current, only, (cell) =>
        owned.pipe(
          Effect.mapError((cause) => unusable(current, cell, cause)),
          Effect.flatMap((made) => work(made, cell))
        )
      ).pipe(Effect.provide(Logging.layer(current)))
    })
