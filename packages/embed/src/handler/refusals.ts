import { type HostAnswer, hostProblem, type RefusedRequest } from "@surety/http/HostProblem"
import type { HttpSettings } from "@surety/http/HttpSettings"
import { type Problem, problem } from "@surety/http/problem/Problem"

/**
 * A parsed body is not what was sent: an amount may have lost digits, and a repeated field is there only once. So it is
 * rejected, and the host notices with the first request.
 */
const bodyTaken = problem("internal_error", {
  detail: "The server read this request's body before it could be checked."
})

/** Logged for the host. */
export const bodyTakenAdvice =
  "A request's body was read before it reached Surety. Mount Surety before express.json() and other body parsers, so that it gets the request as sent."

const closed = problem("service_unavailable", { headers: { connection: "close", "retry-after": "5" } })

/** Refusals that come before any route. */
export interface HandlerRefusals {
  /** A path outside its canonical spelling, under any prefix of the host's. */
  readonly routeNotFound: (request: RefusedRequest) => HostAnswer
  readonly bodyTaken: (request: RefusedRequest) => HostAnswer
  /** After `close()`. */
  readonly closed: (request: RefusedRequest) => HostAnswer
}

export const refusals = (settings: HttpSettings["Service"]): HandlerRefusals => {
  const answer = (refused: Problem) => (request: RefusedRequest) => hostProblem(refused, request, settings)
  return { routeNotFound: answer(problem("route_not_found")), bodyTaken: answer(bodyTaken), closed: answer(closed) }
}

/** What both handlers need besides the services. */
export interface Surroundings {
  readonly settings: HttpSettings["Service"]
  readonly refusals: HandlerRefusals
  /** Logs that a body was read before it reached Surety. */
  readonly warnBodyTaken: () => void
  readonly isClosed: () => boolean
}
