import { Context, type Effect } from "effect"
import type { RateLimit } from "./RateLimit.js"

/** Whether a request may pass. */
export interface RateVerdict {
  readonly limit: RateLimit
  readonly isAllowed: boolean
  /** Tokens that are left, as far as is known here. A hint: others may take them first. */
  readonly remaining: number
  /** Of a request that passes: until the bucket is full. Of one that does not: until it is worth another try. */
  readonly resetMillis: number
}

/** Lets through as many requests as a limit allows, each client for itself (contract 13). A host may bring its own. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes a token from the bucket of `key`, which names the client, if there is one. */
    readonly take: (limit: RateLimit, key: string) => Effect.Effect<RateVerdict>

    /** What is known here of the bucket, without taking a token and without asking anybody. */
    readonly peek: (limit: RateLimit, key: string) => Effect.Effect<RateVerdict>
  }
>()("@surety/core/limit/RateLimiter") {}
