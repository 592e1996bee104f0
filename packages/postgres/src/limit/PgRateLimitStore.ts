import type { PgClient } from "@effect/sql-pg/PgClient"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import type { Demand } from "@surety/core/limit/TokenBucket"
import { Effect, Layer, Schema } from "effect"
import * as Database from "../sql/Database.js"

/** A row of `lease_tokens`. */
const GrantRow = Schema.Struct({ tokens: Schema.Int, remaining: Schema.Int, waitMillis: Schema.Int })

const decodeGrant = Schema.decodeUnknownEffect(Schema.Tuple([GrantRow]))

/** `RateLimitStore` on PostgreSQL, by the database's clock. */
export const layer: Layer.Layer<RateLimitStore, never, PgClient> = Layer.effect(
  RateLimitStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make

    const lease = Effect.fn("PgRateLimitStore.lease")(function* (limit: RateLimit, key: string, demand: Demand) {
      const rows = yield* sql`
        select tokens, remaining, wait_millis as "waitMillis"
        from ${name("lease_tokens")}(${limit.name}, ${key}, ${limit.perSecond}::double precision,
          ${limit.burst}::integer, ${demand.needed}::integer, ${demand.wanted}::integer)`
      const [grant] = yield* decodeGrant(rows)
      return grant
    }, verb("RateLimitStore.lease"))

    const forgetFull = sql`delete from ${name("rate_limit")} where full_at <= clock_timestamp() returning 1`.pipe(
      Effect.map((rows) => rows.length),
      verb("RateLimitStore.forgetFull"),
      Effect.withSpan("PgRateLimitStore.forgetFull")
    )

    return RateLimitStore.of({ lease, forgetFull })
  })
)
