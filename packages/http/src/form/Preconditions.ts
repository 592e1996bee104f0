import type { HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"

const answered = new Set(["application/json", "application/*", "*/*", "application/problem+json"])

/** Whether an Accept header (RFC 9110, section 12.5.1) accepts JSON. */
const acceptsJson = (accept: string): boolean =>
  accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    return answered.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

const escapedNul = "%00"

/** What every route refuses before it reads a body. */
export const preconditionProblem = (request: HttpServerRequest.HttpServerRequest): Problem | undefined => {
  const accept = request.headers.accept
  if (accept !== undefined && accept !== "*/*" && accept !== "application/json" && !acceptsJson(accept)) {
    return problem("not_acceptable")
  }
  return request.url.includes(escapedNul)
    ? problem("invalid_characters", { detail: "The url has a NUL character." })
    : undefined
}
