import type { RateVerdict } from "@surety/core/limit/RateLimiter"
import type { Principal } from "@surety/core/merchant/ApiKeys"
import { pathOf } from "@surety/core/PlainPath"
import { Context } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitFields } from "./access/RateLimitFields.js"
import { type Problem, type ProblemContext, problemDetails } from "./problem/Problem.js"
import type { ProblemCode } from "./problem/ProblemCode.js"
import { problemContentType } from "./problem/ProblemDetails.js"

/** Sent on every response, so that browsers do not guess another content type. */
export const nosniff = { "x-content-type-options": "nosniff" } as const

/** The state of a request and its response. The mutable fields are set while the request is handled. */
export interface ExchangeShape {
  readonly requestId: string
  /** The path as sent, without the query. */
  readonly path: string
  readonly typePrefix: string
  /** Read from the monotonic clock. */
  readonly startedAtNanos: bigint
  /** The template of the matched route, once known, such as `/v1/refunds/:refundId`. */
  route: string | undefined
  /** The principal of the authenticated key, once known. */
  principal: Principal | undefined
  /** The problem's code, if the response is a problem. */
  code: ProblemCode | undefined
  /** The limiter's verdict, if any. The response's headers report it. */
  limited: RateVerdict | undefined
  /** Fields from which `Location` is built, if the handler sets them. Otherwise they are read from the body. */
  record: Readonly<Record<string, unknown>> | undefined
}

/** The exchange of the request in progress. `Edge.layer` provides it to the routes. Reading it elsewhere throws. */
export const Exchange = Context.Reference<ExchangeShape>("@surety/http/Exchange", {
  defaultValue: () => {
    throw new Error("There is no exchange outside the edge.")
  }
})

const acceptedRequestId = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the caller's request id if valid, otherwise a random UUID. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && acceptedRequestId.test(sent) ? sent : crypto.randomUUID()

export const openExchange = (
  request: HttpServerRequest.HttpServerRequest,
  typePrefix: string,
  startedAtNanos: bigint
): ExchangeShape => ({
  requestId: requestIdOf(request.headers["x-request-id"]),
  path: pathOf(request.url),
  typePrefix,
  startedAtNanos,
  route: undefined,
  principal: undefined,
  code: undefined,
  limited: undefined,
  record: undefined
})

const contextOf = ({ path, requestId, typePrefix }: ExchangeShape): ProblemContext => ({
  requestId,
  instance: path,
  typePrefix
})

/** Returns the headers of every response: request id, `nosniff` and, if the exchange has a verdict, the rate limit. */
export const exchangeHeaders = ({ limited, requestId }: ExchangeShape): Readonly<Record<string, string>> =>
  limited === undefined
    ? { "x-request-id": requestId, ...nosniff }
    : { ...rateLimitFields(limited), "x-request-id": requestId, ...nosniff }

const requiredHeaders = ({ options, status }: Problem): Readonly<Record<string, string>> =>
  status === 429 && options.headers?.["retry-after"] === undefined ? { "retry-after": "1" } : {}

/** Builds a response from a body that is already JSON text. */
export const jsonAnswer = (
  exchange: ExchangeShape,
  body: string,
  status: number,
  headers?: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { ...headers, ...exchangeHeaders(exchange) }
  })

/** Builds the response with a problem, and sets the exchange's `code`. */
export const problemAnswer = (exchange: ExchangeShape, problem: Problem): HttpServerResponse.HttpServerResponse => {
  exchange.code = problem.code
  return HttpServerResponse.text(JSON.stringify(problemDetails(problem, contextOf(exchange))), {
    status: problem.status,
    contentType: problemContentType,
    headers: { ...requiredHeaders(problem), ...problem.options.headers, ...exchangeHeaders(exchange) }
  })
}
