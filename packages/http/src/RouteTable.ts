import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "./Api.js"
import { GetOnly, SandboxOnly } from "./access/MerchantAccess.js"

interface Route {
  readonly template: string
  readonly sandboxOnly: boolean
  /** True if the route's `GET` does not answer `HEAD`. */
  readonly getOnly: boolean
  /** True if the route exists only while the documentation is served. */
  readonly documentation: boolean
}

/** Paths of the documentation, below the base path. */
export const documentPaths = {
  page: "/docs",
  reference: "/docs/reference",
  asset: "/docs/assets/:file",
  errors: "/docs/errors",
  openApi: "/openapi.json",
  openApiOfMerchants: "/openapi/merchant.json",
  openApiOfOperators: "/openapi/operator.json"
} as const

/** Path of the welcome page, which is at the base url. */
export const welcomePath = "/"

/** Template under which metrics and logs report guide pages other than the home page. */
export const guideTemplate = "/docs/:guide"

export const guidePath = (slug: string) => `${documentPaths.page}/${slug}` as const

/** Path of the public keys that verify receipts, below the base path. */
export const keysPath = "/.well-known/jwks.json"

/** Path of a KYC vendor's callbacks, below the base path. */
export const kycCallbackPath = "/callbacks/kyc/:provider"

/** Paths of an orchestrator's probes, outside the base path. */
export const healthPaths = { live: "/healthz", ready: "/readyz" } as const

/** Path of a server's metrics, outside the base path. */
export const metricsPath = "/metrics"

/** Returns true for the health probes and the metrics, which are exempt from the limit on concurrent requests. */
export const isHealthPath = (path: string): boolean =>
  path === healthPaths.live || path === healthPaths.ready || path === metricsPath

/** Methods that routes may have, except `HEAD`, in the order of `Allow`. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/**
 * Configuration of the router. Letter case and extra slashes are significant: `/Operator` and `//operator` match no
 * route. Together with `isPlainPath`, this lets a proxy block the operator routes by the path `/operator`. A parameter
 * longer than `maxParamLength` matches no route. The longest id, 128 characters of three bytes each, takes 1,152
 * characters when percent-encoded.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 1_200
} as const

/** Routes below the base path. Uses Effect's own matcher, so that paths match by the router's rules. */
const below = FindMyWay.make<Route>(routerConfig)
const outside = FindMyWay.make<Route>(routerConfig)

const add = (router: FindMyWay.Router<Route>, method: string, template: string, kind: Partial<Route> = {}) => {
  router.on(method, `/${template.slice(1)}`, {
    template,
    sandboxOnly: false,
    getOnly: false,
    documentation: false,
    ...kind
  })
}

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) =>
    add(below, method, path, {
      sandboxOnly: Context.get(mergedAnnotations, SandboxOnly),
      getOnly: Context.get(mergedAnnotations, GetOnly)
    })
})
add(below, "GET", keysPath)
add(below, "POST", kycCallbackPath)
for (const path of [...Object.values(documentPaths), guideTemplate]) add(below, "GET", path, { documentation: true })
for (const path of Object.values(healthPaths)) add(outside, "GET", path)

/** Returns the part of the path below the base path, or `undefined` if the path is outside the base path. */
export const belowBase = (path: string, basePath: string): string | undefined =>
  path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined

export interface RouteQuery {
  readonly path: string
  readonly basePath: string
  readonly docs: boolean
  /** Slugs of the served guides. Default: none. */
  readonly guides?: ReadonlySet<string>
  /** True if TEST-only routes exist for the caller. */
  readonly sandbox: boolean
}

/** `/docs/:guide` matches any slug, but only served guides exist. */
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

/** Returns a path's methods for the `Allow` header. Empty for an unknown path. */
export const methodsAt = (query: RouteQuery): ReadonlyArray<string> => {
  const served = methods.filter((method) => routeAt(method, query) !== undefined)
  return routeAt("GET", query)?.getOnly === false ? [...served, "HEAD"] : served
}

/**
 * Returns the template of the route that matches a request, such as `/v1/refunds/:refundId`, or `undefined` if no route
 * matches.
 */
export const templateOf = (method: string, query: RouteQuery): string | undefined =>
  routeAt(method === "HEAD" ? "GET" : method, query)?.template
