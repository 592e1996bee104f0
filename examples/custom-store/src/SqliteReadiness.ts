import { NotReady, Readiness } from "@surety/core/Readiness"
import { Effect, Layer } from "effect"
import { Database, tablesVersion } from "./Database.ts"

export const layer: Layer.Layer<Readiness, never, Database> = Layer.effect(
  Readiness,
  Effect.map(Database, ({ read }) =>
    Readiness.of({
      check: read("Readiness.check", (sql) => sql.get`pragma user_version`?.user_version).pipe(
        Effect.mapError(({ message }) => new NotReady({ detail: message })),
        Effect.filterOrFail(
          (version) => version === tablesVersion,
          (version) => new NotReady({ detail: `the tables are of version ${version}, not of ${tablesVersion}` })
        ),
        Effect.asVoid
      )
    })
  )
)
