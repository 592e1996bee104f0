import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "./Api.js"
import { SandboxOnly } from "./access/MerchantAccess.js"

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

/** The documentation's paths, below the base path. */
export const documentPaths = {
  page: "/docs",
  asset: "/docs/assets/:file",
  errors: "/docs/errors",
  openApi: "/openapi.json"
} as const

/** A KYC vendor's own calls, below the base path. */
export const kycCallbackPath = "/callbacks/kyc/:provider"

/** Probes for an orchestrator, outside the base path. */
export const healthPaths = { live: "/healthz", ready: "/readyz" } as const

const apiEntries = entriesOfApi()

const documentEntries = Object.values(documentPaths).map((path) => entryOf("GET", path))
const callbackEntry = entryOf("POST", kycCallbackPath)
const healthEntries = Object.values(healthPaths).map((path) => entryOf("GET", path))

/** The path below the base path, or `undefined` outside it. */
export const belowBase = (path: string, basePath: string): string | undefined =>
  path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined

export interface RouteQuery {
  readonly path: string
  readonly basePath: string
  readonly docs: boolean
  /** Whether TEST-only routes exist for the caller. */
  readonly sandbox: boolean
}

const entriesAt = ({ basePath, docs, path, sandbox }: RouteQuery): ReadonlyArray<RouteEntry> => {
  const below = belowBase(path, basePath)
  const entries = [...apiEntries, callbackEntry, ...(docs ? documentEntries : [])]
  return [
    ...healthEntries.filter(({ form }) => form.test(path)),
    ...(below === undefined
      ? []
      : entries.filter(({ form, sandboxOnly }) => form.test(below) && (sandbox || !sandboxOnly)))
  ]
}

/** The methods of a path, for `Allow`; empty for an unknown path. */
export const methodsAt = (query: RouteQuery): ReadonlyArray<string> => {
  const methods = entriesAt(query).map(({ method }) => method)
  return methods.includes("GET") ? [...methods, "HEAD"] : methods
}

/** The template of the route that matches a request: `/v1/refunds/:refundId`. */
export const templateOf = (method: string, query: RouteQuery): string | undefined =>
  entriesAt(query).find((entry) => entry.method === (method === "HEAD" ? "GET" : method))?.path
