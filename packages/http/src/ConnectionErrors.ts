import type { HttpSettings } from "./HttpSettings.js"
import { type Problem, problem, problemDetails } from "./problem/Problem.js"
import type { ProblemCode } from "./problem/ProblemCode.js"
import { problemContentType } from "./problem/ProblemDetails.js"
import { documentPaths } from "./RouteTable.js"

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout"
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large"
}

/** Returns the problem for the code of a Node connection error. A code not in `codes` becomes `malformed_request`. */
export const connectionProblem = (errorCode: string | undefined): Problem =>
  problem(codes[errorCode ?? ""] ?? "malformed_request")

/**
 * Returns the complete HTTP/1.1 response to a `CONNECT` request or a client error, such as bytes that are not HTTP.
 * `errorCode` is the code of the error in Node's `clientError` event, or undefined for `CONNECT`. Close the connection
 * after writing the response.
 */
export const connectionAnswer = (errorCode: string | undefined, { publicUrl }: HttpSettings["Service"]): string => {
  const refused = connectionProblem(errorCode)
  const context = {
    requestId: crypto.randomUUID(),
    instance: "/",
    typePrefix: `${publicUrl}${documentPaths.errors}#`
  }
  const body = JSON.stringify(problemDetails(refused, context))
  return [
    `HTTP/1.1 ${refused.status} ${reasons[refused.status]}`,
    "Connection: close",
    `Content-Type: ${problemContentType}`,
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    `X-Request-Id: ${context.requestId}`,
    "X-Content-Type-Options: nosniff",
    "",
    body
  ].join("\r\n")
}
