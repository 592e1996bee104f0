import * as HostPool from "@surety/postgres/HostPool"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { Pool } from "pg"

export class Host extends Context.Service<Host, Pool>()("test/Host") {}

export const layer = Layer.effect(
  Host,
  Effect.flatMap(TestDatabase, ({ url }) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new Pool({ connectionString: Redacted.value(url), max: 16 })
        // `pool.end` does not wait until its connections are closed. Dropping the database can then terminate them,
        // which the pool reports as errors.
        pool.on("error", () => {})
        return pool
      }),
      (pool) => Effect.promise(() => pool.end())
    )
  )
)

export const client = Layer.unwrap(Effect.map(Host, HostPool.layer))
