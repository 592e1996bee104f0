import { RateLimits } from "@surety/http/access/RateLimits"
import { Context } from "effect"
import type { RateLimitOptions, RateOption } from "./SuretyOptions.js"

/** Merges the limits in the options with the interface's defaults. */
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
