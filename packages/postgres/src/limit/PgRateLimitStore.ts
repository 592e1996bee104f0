import type { PgClient } from "@effect/sql-pg/PgClient"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import type { Demand } from "@surety/core/limit/TokenBucket"
import { Effect, Layer, Schema } from "effect"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

/** The JSON argument of the SQL function `lease_tokens`. */
const DemandInput = Schema.Struct({
  limit_name: Schema.String,
  bucket_key: Schema.String,
  per_second: Schema.Finite,
  burst: Schema.Int,
  needed: Schema.Int,
  wanted: Schema.Int
})

const demandText = JsonRow.jsonText(DemandInput)

const PortionRow = Schema.Struct({ tokens: Schema.Int, remaining: Schema.Int, waitMillis: Schema.Int })

const decodePortion = Schema.decodeUnknownEffect(Schema.Tuple([PortionRow]))

/** Uses the database's clock. */
export const layer: Layer.Layer<RateLimitStore, never, PgClient> = Layer.effect(
  RateLimitStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make

    const lease = Effect.fn("PgRateLimitStore.lease")(function* (limit: RateLimit, key: string, demand: Demand) {
      const rows = yield* sql`
        select tokens, remaining, wait_millis as "waitMillis"
        from ${name("lease_tokens")}(${demandText({
          limit_name: limit.name,
          bucket_key: key,
          per_second: limit.perSecond,
          burst: limit.burst,
          needed: demand.needed,
          wanted: demand.wanted
        })}::json)`
      const [portion] = yield* decodePortion(rows)
      return portion
    }, verb("RateLimitStore.lease"))

    const forgetFull = sql`delete from ${name("rate_limit")} where full_at <= statement_timestamp() returning 1`.pipe(
      Effect.map((rows) => rows.length),
      verb("RateLimitStore.forgetFull"),
      Effect.withSpan("PgRateLimitStore.forgetFull")
    )

    return RateLimitStore.of({ lease, forgetFull })
  })
)
