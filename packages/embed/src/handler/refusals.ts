import { type HostAnswer, hostProblem, type RefusedRequest } from "@surety/http/HostProblem"
import type { HttpSettings } from "@surety/http/HttpSettings"
import { type Problem, problem } from "@surety/http/problem/Problem"

/**
 * Whatever read the bytes before, what it made of them is not what was sent: an amount may have lost digits, a field
 * sent twice is there once. So nothing is tried with it, and the mistake is found with the first request.
 */
const bodyTaken = problem("internal_error", {
  detail: "The server read this request's body before it could be checked."
})

/** For the host's log. */
export const bodyTakenAdvice =
  "A request's body was read before it reached Surety. Mount Surety before express.json() and other body parsers, and hand it the request as it came."

const closed = problem("service_unavailable", { headers: { connection: "close", "retry-after": "5" } })

/** Answers that no route gives. */
export interface Refusals {
  readonly bodyTaken: (request: RefusedRequest) => HostAnswer
  /** After `close()`. */
  readonly closed: (request: RefusedRequest) => HostAnswer
}

export const refusals = (settings: HttpSettings["Service"]): Refusals => {
  const answer = (refused: Problem) => (request: RefusedRequest) => hostProblem(refused, request, settings)
  return { bodyTaken: answer(bodyTaken), closed: answer(closed) }
}
