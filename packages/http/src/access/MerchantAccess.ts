import type { Principal } from "@surety/core/merchant/ApiKeys"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { RateLimitName } from "./RateLimits.js"

/** Who is asking: the merchant and environment that the request's API key stands for. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@surety/http/access/CurrentPrincipal"
) {}

/** Routes that a merchant calls with its API key (contract 3, 5): key, then status, then what every route refuses. */
export class MerchantAccess extends HttpApiMiddleware.Service<
  MerchantAccess,
  {
    provides: CurrentPrincipal
  }
>()("@surety/http/access/MerchantAccess") {}

/** Annotates an endpoint that answers in every status of the merchant, so that a merchant can see why. */
export const AnswersAnyStatus = Context.Reference<boolean>("@surety/http/access/AnswersAnyStatus", {
  defaultValue: () => false
})

/** Annotates an endpoint that TEST keys alone have; for LIVE ones it does not exist (contract 14). */
export const SandboxOnly = Context.Reference<boolean>("@surety/http/access/SandboxOnly", {
  defaultValue: () => false
})

/** Annotates an endpoint whose requests count against a limit of their own (contract 13). */
export const CountsAgainst = Context.Reference<Exclude<RateLimitName, "provisioning">>(
  "@surety/http/access/CountsAgainst",
  { defaultValue: () => "other" }
)
