import { Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { unknownParameter } from "../problem/Fault.js"
import { type Problem, problem, problemOfFaults } from "../problem/Problem.js"

const headers = { connection: "close" }

const missing = problem("malformed_request", { detail: "HTTP/1.1 requires a Host header: send one.", headers })

const repeated = problem("malformed_request", { detail: "Send one Host header.", headers })

const isHost = (name: unknown): boolean =>
  typeof name === "string" && name.length === 4 && name.toLowerCase() === "host"

/**
 * Returns the problem for a Host header (RFC 9112, 3.2) that is missing in HTTP/1.1, or repeated. A proxy and this
 * server could read such a request differently. Only Node exposes raw headers, so on other servers every request
 * passes.
 */
export const hostHeaderProblem = ({ source }: HttpServerRequest.HttpServerRequest): Problem | undefined => {
  if (!Predicate.hasProperty(source, "rawHeaders") || !Array.isArray(source.rawHeaders)) return undefined
  let hosts = 0
  for (let at = 0; at < source.rawHeaders.length; at += 2) if (isHost(source.rawHeaders[at])) hosts += 1
  if (hosts > 1) return repeated
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
