import { Context, type Effect } from "effect"
import type { RateLimit } from "./RateLimit.js"

/** The decision to allow or reject a request. */
export interface RateVerdict {
  readonly limit: RateLimit
  readonly isAllowed: boolean
  /** Tokens left, as far as this process knows. Only a hint: other processes may already have taken them. */
  readonly remaining: number
  /** If allowed, time until the bucket is full. Otherwise, time until a retry may succeed. */
  readonly resetMillis: number
}

/** Limits the requests of each client (contract 13). A host may provide its own limiter. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes a token from the limit's bucket for `key`. The request is not allowed if no token is left. */
    readonly take: (limit: RateLimit, key: string) => Effect.Effect<RateVerdict>

    /**
     * Returns this process's view of the bucket. Takes no token and makes no call. `resetMillis` is meaningful only if
     * the request is not allowed.
     *
     * Some callers check a credential only if `peek` allows it, and count only failures. `peek` must therefore reject a
     * client that `take` rejects, even while the limiter's store or host is unavailable.
     */
    readonly peek: (limit: RateLimit, key: string) => Effect.Effect<RateVerdict>
  }
>()("@surety/core/limit/RateLimiter") {}
