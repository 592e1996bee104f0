import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "./Api.js"
import { SandboxOnly } from "./access/MerchantAccess.js"

/** A route by its method and its path's template. */
interface RouteEntry {
  readonly method: string
  readonly path: string
  readonly form: RegExp
  readonly sandboxOnly: boolean
}

const formOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[A-Za-z]+/g, "[^/]+")}$`)

const entryOf = (method: string, path: string, sandboxOnly = false): RouteEntry => ({
  method,
  path,
  form: formOf(path),
  sandboxOnly
})

const entriesOfApi = (): ReadonlyArray<RouteEntry> => {
  const entries: Array<RouteEntry> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      entries.push(entryOf(endpoint.method, endpoint.path, Context.get(mergedAnnotations, SandboxOnly)))
    }
  })
  return entries
}

/** What the documentation is served at, below the base path. */
export const documentPaths = {
  page: "/docs",
  asset: "/docs/assets/:file",
  errors: "/docs/errors",
  openApi: "/openapi.json"
} as const

/** What tells an orchestrator how the process is, outside the base path. */
export const healthPaths = { live: "/healthz", ready: "/readyz" } as const

const apiEntries = entriesOfApi()

const documentEntries = Object.values(documentPaths).map((path) => entryOf("GET", path))
const healthEntries = Object.values(healthPaths).map((path) => entryOf("GET", path))

/** The path below the base path, or `undefined` outside it. */
export const belowBase = (path: string, basePath: string): string | undefined =>
  path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined

export interface RouteQuery {
  readonly path: string
  readonly basePath: string
  readonly docs: boolean
  /** Whether routes that only TEST keys may use exist for the caller. */
  readonly sandbox: boolean
}

const entriesAt = ({ basePath, docs, path, sandbox }: RouteQuery): ReadonlyArray<RouteEntry> => {
  const below = belowBase(path, basePath)
  const entries = [...apiEntries, ...(docs ? documentEntries : [])]
  return [
    ...healthEntries.filter(({ form }) => form.test(path)),
    ...(below === undefined
      ? []
      : entries.filter(({ form, sandboxOnly }) => form.test(below) && (sandbox || !sandboxOnly)))
  ]
}

/** The methods that a path has, for `Allow`; none for an unknown path. */
export const methodsAt = (query: RouteQuery): ReadonlyArray<string> => {
  const methods = entriesAt(query).map(({ method }) => method)
  return methods.includes("GET") ? [...methods, "HEAD"] : methods
}

/** The template of the route that answers a request: `/v1/refunds/:refundId`. */
export const templateOf = (method: string, query: RouteQuery): string | undefined =>
  entriesAt(query).find((entry) => entry.method === (method === "HEAD" ? "GET" : method))?.path
