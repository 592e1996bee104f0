import { nosniff, requestIdOf } from "./Exchange.js"
import type { HttpSettings } from "./HttpSettings.js"
import { type Problem, problemDetails } from "./problem/Problem.js"
import { problemContentType } from "./problem/ProblemDetails.js"
import { documentPaths } from "./RouteTable.js"

/** A request that a host's server received but will not pass on. */
export interface RefusedRequest {
  readonly path: string
  /** The caller's own request id, if it sent one. */
  readonly requestId: string | undefined
}

/** A complete response that any server can send. */
export interface HostAnswer {
  readonly status: number
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Builds a problem in the interface's form for a request that never reaches a route. */
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
