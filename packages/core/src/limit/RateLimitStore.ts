import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { RateLimit } from "./RateLimit.js"
import type { Demand, Portion } from "./TokenBucket.js"

/**
 * The buckets shared by all processes. A store with a clock uses its own time, so that processes with different clocks
 * fill no bucket twice. Buckets may be lost at any time, for example when the database crashes; a lost bucket is full.
 */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    /**
     * Takes tokens out of `key`'s bucket of the limit, atomically: under any concurrency a bucket never gives more than
     * its burst and its refill since. An unused bucket is full.
     */
    readonly lease: (limit: RateLimit, key: string, demand: Demand) => Effect.Effect<Portion, StoreError>

    /** Deletes full buckets, which equal unused ones. Returns how many. */
    readonly forgetFull: Effect.Effect<number, StoreError>
  }
>()("@surety/core/limit/RateLimitStore") {}
