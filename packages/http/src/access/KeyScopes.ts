import { KeyScope } from "@surety/core/merchant/KeyScope"
import { Schema } from "effect"

/**
 * The scope that a route requires of a key with scopes. `none`: no scope. `unlisted`: every key with scopes is refused.
 */
export type RouteScope = KeyScope | "none" | "unlisted"

const isScope = Schema.is(KeyScope)

/** The resource in a route's scope, by the first path segment below `/v1`. `none`: the route requires no scope. */
const resources: Readonly<Record<string, string>> = {
  whoami: "none",
  "event-types": "none",
  refunds: "refunds",
  identity: "identity",
  "data-requests": "data-requests",
  grants: "grants",
  kyc: "kyc",
  events: "events",
  requests: "requests",
  "test-helpers": "test-helpers"
}

/**
 * Returns the scope of a route by its method and template: `GET` reads, every other method writes. A route whose scope
 * does not exist is `unlisted`, and fails the test that walks all routes.
 */
export const routeScope = (method: string, path: string): RouteScope => {
  const resource = resources[path.split("/")[2] ?? ""]
  if (resource === "none") return "none"
  const scope = `${resource}:${method === "GET" ? "read" : "write"}`
  return isScope(scope) ? scope : "unlisted"
}

/**
 * Returns true if a key's scopes allow a route that requires `required`. A key without scopes (`undefined`) may use
 * every route.
 */
export const isScopeHeld = (scopes: ReadonlyArray<KeyScope> | undefined, required: RouteScope): boolean =>
  scopes === undefined || required === "none" || (required !== "unlisted" && scopes.includes(required))
