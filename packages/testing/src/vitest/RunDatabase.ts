import { Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import * as TestDatabase from "../machine/TestDatabase.js"
import { TestPostgres } from "../machine/TestPostgres.js"
import type {} from "./globalSetup.js"

/**
 * The PostgreSQL that `@surety/testing/vitest/globalSetup` started for this run. A run that lacks that setup dies here:
 * a test that needs a database never passes or skips without one.
 */
export const layerServer: Layer.Layer<TestPostgres> = Layer.effect(
  TestPostgres,
  Effect.suspend(() => {
    const url: string | undefined = inject("pgUrl")
    return url === undefined
      ? Effect.die(new Error("No PostgreSQL: add @surety/testing/vitest/globalSetup to Vitest's globalSetup"))
      : Effect.succeed({ url: Redacted.make(url) })
  })
)

/** An empty database of its own on this run's PostgreSQL, dropped with the layer. */
export const layer: Layer.Layer<TestDatabase.TestDatabase, SqlError> = Layer.provide(TestDatabase.layer, layerServer)
