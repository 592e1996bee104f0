import { Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { unknownParameter } from "../problem/Fault.js"
import { type Problem, problem, problemOfFaults } from "../problem/Problem.js"

const headers = { connection: "close" }

const missing = problem("malformed_request", { detail: "HTTP/1.1 requires a Host header: send one.", headers })

const repeatedHost = problem("malformed_request", { detail: "Send one Host header.", headers })

const repeatedCredential = problem("malformed_request", { detail: "Send one Authorization header.", headers })

/** Returns a test for a header's name in any letter case. `name` is in lower case. */
const named =
  (name: string) =>
  (header: unknown): boolean =>
    typeof header === "string" && header.length === name.length && header.toLowerCase() === name

const isHost = named("host")
const isAuthorization = named("authorization")

/**
 * Returns the problem for a Host header (RFC 9112, 3.2) that is missing in HTTP/1.1, or repeated, and for a repeated
 * Authorization header. A proxy and this server could read such a request differently: Node takes the first credential,
 * a proxy may have checked the last. Only Node exposes raw headers, so on other servers every request passes. They
 * join the credentials, which then are no key.
 */
export const singleHeaderProblem = ({ source }: HttpServerRequest.HttpServerRequest): Problem | undefined => {
  if (!Predicate.hasProperty(source, "rawHeaders") || !Array.isArray(source.rawHeaders)) return undefined
  let hosts = 0
  let credentials = 0
  for (let at = 0; at < source.rawHeaders.length; at += 2) {
    const header: unknown = source.rawHeaders[at]
    if (isHost(header)) hosts += 1
    else if (isAuthorization(header)) credentials += 1
  }
  if (hosts > 1) return repeatedHost
  if (credentials > 1) return repeatedCredential
  const isNeeded = Predicate.hasProperty(source, "httpVersion") && source.httpVersion === "1.1"
  return hosts === 0 && isNeeded ? missing : undefined
}

const answered = new Set(["application/json", "application/*", "*/*", "application/problem+json"])

/** Returns true if an Accept header (RFC 9110, section 12.5.1) accepts JSON or a JSON problem. */
const acceptsJson = (accept: string): boolean =>
  accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    return answered.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

const escapedNul = "%00"

/**
 * Returns the problem for a url with query parameters on a route that declares none. A parameter that a caller meant
 * for the body, such as the `amount` of a refund, must not be ignored.
 */
const parametersProblem = (url: string): Problem | undefined => {
  const start = url.indexOf("?")
  if (start < 0) return undefined
  const names = [...new Set(new URLSearchParams(url.slice(start + 1)).keys())]
  return names.length === 0
    ? undefined
    : problemOfFaults(names.map((name) => unknownParameter(name, "This route takes no query parameters.")))
}

const headNotAllowed = problem("method_not_allowed", { headers: { allow: "GET" } })

/**
 * Checks a request before a route of the typed API reads the body. Returns the problem, if any. Refuses `HEAD` on a
 * route that is `getOnly`, an `Accept` without JSON, a NUL in the url, and a query on a route that declares none. The
 * schema of a declared query refuses unknown parameters.
 */
export const preconditionProblem = (
  request: HttpServerRequest.HttpServerRequest,
  { getOnly, hasQuery }: { readonly getOnly: boolean; readonly hasQuery: boolean }
): Problem | undefined => {
  if (getOnly && request.method === "HEAD") return headNotAllowed
  const { accept } = request.headers
  if (accept !== undefined && accept !== "*/*" && accept !== "application/json" && !acceptsJson(accept)) {
    return problem("not_acceptable")
  }
  if (request.url.includes(escapedNul)) {
    return problem("invalid_characters", { detail: "The url has a NUL character." })
  }
  return hasQuery ? undefined : parametersProblem(request.url)
}
