import { type RateLimitName, RateLimits } from "@surety/http/access/RateLimits"
import { Context } from "effect"
import type { RateLimitOptions, RateOption } from "./SuretyOptions.js"

/** Names of the limits on merchants' requests. Requests under these limits pass while the host's limiter fails. */
export const merchantLimits: ReadonlySet<string> = new Set<RateLimitName>(["refunds", "other"])

/** Merges the limits in the options with the API's defaults. */
export const rateLimitsOf = (options: RateLimitOptions): RateLimits => {
  const own = Context.get(Context.empty(), RateLimits)
  const named = (name: keyof RateLimits, option: RateOption | undefined) => {
    if (option === undefined) return own[name]
    return option === "off" ? undefined : { name, ...option }
  }
  return {
    refunds: named("refunds", options.refunds),
    other: named("other", options.other),
    provisioning: named("provisioning", options.provisioning)
  }
}
