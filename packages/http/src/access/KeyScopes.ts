import { KeyScope } from "@surety/core/merchant/KeyScope"
import { Schema } from "effect"

/**
 * What a route requires of a key with scopes: one of them, or none; a route missing from the table refuses such keys.
 */
export type RouteScope = KeyScope | "none" | "unlisted"

const isScope = Schema.is(KeyScope)

/** The resource of each first segment of a path below `/v1`. `none`: any key in force may call it. */
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
 * The scope of a route by its method and template: `GET` reads, anything else writes. A route that the table lacks is
 * closed to keys with scopes, and fails the test that walks all routes.
 */
export const routeScope = (method: string, path: string): RouteScope => {
  const resource = resources[path.split("/")[2] ?? ""]
  if (resource === "none") return "none"
  const scope = `${resource}:${method === "GET" ? "read" : "write"}`
  return isScope(scope) ? scope : "unlisted"
}

/** Whether a key with these scopes may call a route. A key without scopes may call every route. */
export const isScopeHeld = (scopes: ReadonlyArray<KeyScope> | undefined, required: RouteScope): boolean =>
  scopes === undefined || required === "none" || (required !== "unlisted" && scopes.includes(required))
