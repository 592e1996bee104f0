import type { RateLimit } from "@surety/core/limit/RateLimit"
import { Context } from "effect"

/** Limits on HTTP requests. `undefined` means no limit. */
export interface RateLimits {
  /** `POST /v1/refunds`, per merchant and environment. */
  readonly refunds: RateLimit | undefined
  /** Every other route under `/v1`, per merchant and environment. */
  readonly other: RateLimit | undefined
  /**
   * `/merchants…`, failed authentication on any route, and KYC callbacks that are not authentic. Per client address and
   * `CredentialKind`.
   */
  readonly provisioning: RateLimit | undefined
}

/** Names of the limits, shown to clients in `RateLimit-Policy`. */
export type RateLimitName = keyof RateLimits

/**
 * The limits in force, read when the routes are built. Default: the contract's limits per merchant (13), and no limit
 * per address.
 */
export const RateLimits: Context.Reference<RateLimits> = Context.Reference<RateLimits>(
  "@surety/http/access/RateLimits",
  {
    defaultValue: () => ({
      refunds: { name: "refunds", perSecond: 100, burst: 200 },
      other: { name: "other", perSecond: 500, burst: 1000 },
      provisioning: undefined
    })
  }
)
