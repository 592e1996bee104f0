import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { RateLimit } from "./RateLimit.js"
import type { Demand, Grant } from "./TokenBucket.js"

/**
 * The buckets that all processes share. Time is the store's own where it has a clock, so that processes whose clocks
 * differ fill no bucket twice.
 *
 * What is kept may be lost at any time, as by a crash of the database: every bucket is full then.
 */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    /**
     * Takes tokens out of `key`'s bucket of the limit, atomically: whatever runs at the same time, a bucket never gives
     * more than its burst and what has come since. A bucket that was never asked is full.
     */
    readonly lease: (limit: RateLimit, key: string, demand: Demand) => Effect.Effect<Grant, StoreError>

    /** Forgets the buckets that are full, which are as good as never asked, and answers how many those were. */
    readonly forgetFull: Effect.Effect<number, StoreError>
  }
>()("@surety/core/limit/RateLimitStore") {}
