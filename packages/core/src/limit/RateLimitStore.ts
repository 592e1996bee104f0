import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { RateLimit } from "./RateLimit.js"
import type { Demand, Portion } from "./TokenBucket.js"

/**
 * The buckets shared by all processes. A store with its own clock, such as a database, uses that clock. Clock
 * differences between processes therefore never refill a bucket twice. Buckets may be lost at any time, for example if
 * the database crashes. A lost bucket counts as full.
 */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    /**
     * Takes tokens from the limit's bucket for `key`, atomically. Under any concurrency, a bucket never gives more than
     * its burst plus the refill since it was last full. An unused bucket is full.
     */
    readonly lease: (limit: RateLimit, key: string, demand: Demand) => Effect.Effect<Portion, StoreError>

    /** Deletes full buckets, which are equivalent to unused ones, and returns the count. */
    readonly forgetFull: Effect.Effect<number, StoreError>
  }
>()("@surety/core/limit/RateLimitStore") {}
