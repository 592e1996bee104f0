import { NotReady, Readiness } from "@surety/core/Readiness"
import { Effect, Layer } from "effect"
import { Database } from "./Database.ts"

export const layer: Layer.Layer<Readiness, never, Database> = Layer.effect(
  Readiness,
  Effect.map(Database, ({ read }) =>
    Readiness.of({
      check: read("Readiness.check", (sql) => sql.get`select 1 from merchant limit 1`).pipe(
        Effect.mapError(({ message }) => new NotReady({ detail: message })),
        Effect.asVoid
      )
    })
  )
)
