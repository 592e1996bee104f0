import { type HostAnswer, hostProblem, type RefusedRequest } from "@surety/http/HostProblem"
import type { HttpSettings } from "@surety/http/HttpSettings"
import { type Problem, problem } from "@surety/http/problem/Problem"

/**
 * Problem for a request whose body was read before the request reached Surety. A parsed body may differ from the bytes
 * sent. For example, an amount may have lost digits, and only one value of a repeated field survives. The rejection
 * reveals an incorrect mount at the first request with a body.
 */
const bodyTaken = problem("internal_error", {
  detail: "The server read this request's body before it could be checked."
})

/** The log line that tells a host how to mount Surety. */
export const bodyTakenAdvice =
  "A request's body was read before it reached Surety. Mount Surety before express.json() and other body parsers, so that it gets the request as sent."

const closed = problem("service_unavailable", { headers: { connection: "close", "retry-after": "5" } })

/** Refusals made before routing. */
export interface HandlerRefusals {
  /** For an absolute url, or a path that is not in canonical form. Only the Node handler checks for these. */
  readonly routeNotFound: (request: RefusedRequest) => HostAnswer
  readonly bodyTaken: (request: RefusedRequest) => HostAnswer
  /** For any request after `close()`. */
  readonly closed: (request: RefusedRequest) => HostAnswer
}

export const refusals = (settings: HttpSettings["Service"]): HandlerRefusals => {
  const answer = (refused: Problem) => (request: RefusedRequest) => hostProblem(refused, request, settings)
  return { routeNotFound: answer(problem("route_not_found")), bodyTaken: answer(bodyTaken), closed: answer(closed) }
}

/** Dependencies of the Node handler and the web handler, apart from the routes. */
export interface Surroundings {
  readonly settings: HttpSettings["Service"]
  readonly refusals: HandlerRefusals
  /** Logs that a body was read before it reached Surety. */
  readonly warnBodyTaken: () => void
  readonly isClosed: () => boolean
}
