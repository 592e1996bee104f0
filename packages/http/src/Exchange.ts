import type { RateVerdict } from "@surety/core/limit/RateLimiter"
import type { Principal } from "@surety/core/merchant/ApiKeys"
import { pathOf } from "@surety/core/PlainPath"
import { Context } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitFields } from "./access/RateLimitFields.js"
import { type Problem, type ProblemContext, problemDetails } from "./problem/Problem.js"
import type { ProblemCode } from "./problem/ProblemCode.js"
import { problemContentType } from "./problem/ProblemDetails.js"

/** On every response: browsers must not guess another content type. */
export const nosniff = { "x-content-type-options": "nosniff" } as const

/** One request and its response. Collects facts for the log line and the metrics. */
export interface ExchangeShape {
  readonly requestId: string
  /** The path as sent, without the query. */
  readonly path: string
  readonly typePrefix: string
  /** On the monotonic clock. */
  readonly startedAtNanos: bigint
  /** The template of the matched route, once known: `/v1/refunds/:refundId`. */
  route: string | undefined
  /** The key's merchant, once known. */
  principal: Principal | undefined
  /** The problem's code, once the request is refused. */
  code: ProblemCode | undefined
  /** The limiter's verdict, once the request was counted. */
  limited: RateVerdict | undefined
  /** What `Location` needs of the response's record, from a route that knows it. Otherwise it is read from the body. */
  record: Readonly<Record<string, unknown>> | undefined
}

/** The exchange in progress. The edge opens one for every request; elsewhere, reading it throws. */
export const Exchange = Context.Reference<ExchangeShape>("@surety/http/Exchange", {
  defaultValue: () => {
    throw new Error("There is no exchange outside the edge.")
  }
})

/** A caller's request id is kept if it has this form. */
const acceptedRequestId = /^[A-Za-z0-9._-]{1,128}$/

/** The request's id: the caller's if it sent a valid one, else a new one. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && acceptedRequestId.test(sent) ? sent : crypto.randomUUID()

/** The new exchange of a request. */
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

/** The headers of every response. */
export const exchangeHeaders = ({ limited, requestId }: ExchangeShape): Readonly<Record<string, string>> =>
  limited === undefined
    ? { "x-request-id": requestId, ...nosniff }
    : { ...rateLimitFields(limited), "x-request-id": requestId, ...nosniff }

/** Headers that a problem's status requires, whichever part of the service refused. */
const requiredHeaders = ({ options, status }: Problem): Readonly<Record<string, string>> =>
  status === 429 && options.headers?.["retry-after"] === undefined ? { "retry-after": "1" } : {}

/** A response with a body that is JSON text already. */
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

/** The response to a refused request. Notes the code in the exchange. */
export const problemAnswer = (exchange: ExchangeShape, problem: Problem): HttpServerResponse.HttpServerResponse => {
  exchange.code = problem.code
  return HttpServerResponse.text(JSON.stringify(problemDetails(problem, contextOf(exchange))), {
    status: problem.status,
    contentType: problemContentType,
    headers: { ...requiredHeaders(problem), ...problem.options.headers, ...exchangeHeaders(exchange) }
  })
}
