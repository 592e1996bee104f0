import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as TokenBucket from "@surety/core/limit/TokenBucket"
import { Clock, Effect, Layer } from "effect"
import { Database } from "./Database.ts"

/** Stores each bucket as one number, the time at which it is full. */
export const layer: Layer.Layer<RateLimitStore, never, Database> = Layer.effect(
  RateLimitStore,
  Effect.map(Database, ({ write }) =>
    RateLimitStore.of({
      lease: (limit, key, demand) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          write("RateLimitStore.lease", (sql) => {
            const row = sql.get`select full_at_millis from rate_limit where name = ${limit.name} and key = ${key}`
            const before = row && { fullAtMillis: Number(row.full_at_millis) }
            const { bucket, portion } = TokenBucket.take(limit, before, now, demand)
            sql.run`
              insert into rate_limit (name, key, full_at_millis) values (${limit.name}, ${key}, ${bucket.fullAtMillis})
              on conflict (name, key) do update set full_at_millis = excluded.full_at_millis`
            return portion
          })
        ),

      forgetFull: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        write("RateLimitStore.forgetFull", (sql) =>
          Number(sql.run`delete from rate_limit where full_at_millis <= ${now}`.changes)
        )
      )
    })
  )
)
