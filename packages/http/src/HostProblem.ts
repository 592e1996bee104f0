import { nosniff, requestIdOf } from "./Exchange.js"
import type { HttpSettings } from "./HttpSettings.js"
import { type Problem, problemDetails } from "./problem/Problem.js"
import { problemContentType } from "./problem/ProblemDetails.js"
import { documentPaths } from "./RouteTable.js"

/** A request that is refused before it reaches a route. */
export interface RefusedRequest {
  readonly path: string
  /** The caller's own request id, if it sent one. */
  readonly requestId: string | undefined
}

/** A complete response that any kind of server can send. */
export interface HostAnswer {
  readonly status: number
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Builds a response with a problem in the API's form, for a request that never reaches a route. */
export const hostProblem = (
  refused: Problem,
  { path, requestId: sent }: RefusedRequest,
  { publicUrl }: HttpSettings["Service"]
): HostAnswer => {
  const requestId = requestIdOf(sent)
  const context = { requestId, instance: path, typePrefix: `${publicUrl}${documentPaths.errors}#` }
  return {
    status: refused.status,
    headers: { ...refused.options.headers, "content-type": problemContentType, "x-request-id": requestId, ...nosniff },
    body: JSON.stringify(problemDetails(refused, context))
  }
}
