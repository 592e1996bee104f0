import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "./Api.js"
import { SandboxOnly } from "./access/MerchantAccess.js"

interface Route {
  readonly template: string
  readonly sandboxOnly: boolean
  /** Whether the route exists only if the documentation is served. */
  readonly documentation: boolean
}

/** The documentation's paths, below the base path. */
export const documentPaths = {
  page: "/docs",
  reference: "/docs/reference",
  asset: "/docs/assets/:file",
  errors: "/docs/errors",
  openApi: "/openapi.json",
  openApiOfMerchants: "/openapi/merchant.json",
  openApiOfOperators: "/openapi/operator.json"
} as const

/** The page at the base address itself. */
export const welcomePath = "/"

/** A page of the guides. Metrics and spans know all of them by this one template. */
export const guideTemplate = "/docs/:guide"

/** The path of a page of the guides, by its slug. */
export const guidePath = (slug: string) => `${documentPaths.page}/${slug}` as const

/** The public keys that verify receipts (RFC 8615), below the base path. */
export const keysPath = "/.well-known/jwks.json"

/** A KYC vendor's own calls, below the base path. */
export const kycCallbackPath = "/callbacks/kyc/:provider"

/** Probes for an orchestrator, outside the base path. */
export const healthPaths = { live: "/healthz", ready: "/readyz" } as const

/** Where a server tells its metrics. */
export const metricsPath = "/metrics"

/** Whether a path is a health probe, which is answered under any load. */
export const isHealthPath = (path: string): boolean =>
  path === healthPaths.live || path === healthPaths.ready || path === metricsPath

/** The methods that routes have, in the order of `Allow`. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/**
 * A route has one spelling, so a proxy that blocks `/operator` also blocks it as `/Operator` and `//operator`. Path
 * parameters may be as long as the longest id, percent-encoded; the router's default would cut them.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 512
} as const

/** The matcher that Effect's own router uses, so that it and this table agree on every path. */
const below = FindMyWay.make<Route>(routerConfig)
const outside = FindMyWay.make<Route>(routerConfig)

const add = (router: FindMyWay.Router<Route>, method: string, template: string, kind: Partial<Route> = {}) => {
  router.on(method, `/${template.slice(1)}`, { template, sandboxOnly: false, documentation: false, ...kind })
}

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) =>
    add(below, method, path, { sandboxOnly: Context.get(mergedAnnotations, SandboxOnly) })
})
add(below, "GET", keysPath)
add(below, "POST", kycCallbackPath)
for (const path of [...Object.values(documentPaths), guideTemplate]) add(below, "GET", path, { documentation: true })
for (const path of Object.values(healthPaths)) add(outside, "GET", path)

/** The path below the base path, or `undefined` outside it. */
export const belowBase = (path: string, basePath: string): string | undefined =>
  path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined

export interface RouteQuery {
  readonly path: string
  readonly basePath: string
  readonly docs: boolean
  /** The slugs of the guides that are served. Default: none. */
  readonly guides?: ReadonlySet<string>
  /** Whether TEST-only routes exist for the caller. */
  readonly sandbox: boolean
}

/** `/docs/:guide` is the template of many pages, of which only those that are served exist. */
const isServed = (path: string, { documentation, sandboxOnly, template }: Route, query: RouteQuery): boolean =>
  (query.sandbox || !sandboxOnly) &&
  (query.docs || !documentation) &&
  (template !== guideTemplate || query.guides?.has(path.slice(guidePath("").length)) === true)

const routeAt = (method: string, query: RouteQuery): Route | undefined => {
  const health = outside.find(method, query.path)?.handler
  const path = belowBase(query.path, query.basePath)
  const route = path === undefined ? undefined : below.find(method, path)?.handler
  return health ?? (path !== undefined && route !== undefined && isServed(path, route, query) ? route : undefined)
}

/** The methods of a path, for `Allow`; empty for an unknown path. */
export const methodsAt = (query: RouteQuery): ReadonlyArray<string> => {
  const served = methods.filter((method) => routeAt(method, query) !== undefined)
  return served.includes("GET") ? [...served, "HEAD"] : served
}

/** The template of the route that matches a request: `/v1/refunds/:refundId`. */
export const templateOf = (method: string, query: RouteQuery): string | undefined =>
  routeAt(method === "HEAD" ? "GET" : method, query)?.template
