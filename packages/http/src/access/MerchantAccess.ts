import type { Principal } from "@surety/core/merchant/ApiKeys"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { type RouteScope, routeScope } from "./KeyScopes.js"
import type { RateLimitName } from "./RateLimits.js"

/** Identifies the request's API key, its merchant and its environment. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@surety/http/access/CurrentPrincipal"
) {}

/** Guards routes that a merchant calls with its API key (contract 3, 5). `MerchantGate` admits the requests. */
export class MerchantAccess extends HttpApiMiddleware.Service<
  MerchantAccess,
  {
    provides: CurrentPrincipal
  }
>()("@surety/http/access/MerchantAccess") {}

/** Marks an endpoint that works in every merchant status. It lets a merchant refused elsewhere read its status. */
export const AnswersAnyStatus = Context.Reference<boolean>("@surety/http/access/AnswersAnyStatus", {
  defaultValue: () => false
})

/** Marks an endpoint that exists only for TEST keys (contract 14). */
export const SandboxOnly = Context.Reference<boolean>("@surety/http/access/SandboxOnly", {
  defaultValue: () => false
})

/** Names the limit that an endpoint's requests count against (contract 13). */
export const CountsAgainst = Context.Reference<Exclude<RateLimitName, "provisioning">>(
  "@surety/http/access/CountsAgainst",
  { defaultValue: () => "other" }
)

/**
 * Marks an endpoint that `FastPaths` serves, bypassing the router and the typed decoding. A request whose url differs
 * from the endpoint's, for example by a query, goes through the router.
 */
export const FastPath = Context.Reference<boolean>("@surety/http/access/FastPath", { defaultValue: () => false })

/**
 * Marks a `GET` endpoint whose response has an effect, such as a recorded read. `HEAD` must have no effect (RFC 9110,
 * section 9.2.1), so it gets 405.
 */
export const GetOnly = Context.Reference<boolean>("@surety/http/access/GetOnly", { defaultValue: () => false })

export interface KeyRequirement {
  readonly anyStatus: boolean
  readonly sandboxOnly: boolean
  readonly limit: Exclude<RateLimitName, "provisioning">
  readonly scope: RouteScope
  readonly hasQuery: boolean
  readonly getOnly: boolean
}

/** Reads a route's requirements from its annotations, method, path and query. */
export const keyRequirementOf = ({
  annotations,
  method,
  path,
  query
}: {
  readonly annotations: Context.Context<never>
  readonly method: string
  readonly path: string
  readonly query: unknown
}): KeyRequirement => ({
  anyStatus: Context.get(annotations, AnswersAnyStatus),
  sandboxOnly: Context.get(annotations, SandboxOnly),
  limit: Context.get(annotations, CountsAgainst),
  scope: routeScope(method, path),
  hasQuery: query !== undefined,
  getOnly: Context.get(annotations, GetOnly)
})
