import type { MerchantId } from "@surety/core/Ids"
import type { RateVerdict } from "@surety/core/limit/RateLimiter"
import { pathOf } from "@surety/core/PlainPath"
import { Context } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitFields } from "./access/RateLimitFields.js"
import { type Problem, type ProblemContext, problemDetails } from "./problem/Problem.js"
import type { ProblemCode } from "./problem/ProblemCode.js"
import { problemContentType } from "./problem/ProblemDetails.js"

/** On every answer: no browser takes it for something else than its content type says. */
export const nosniff = { "x-content-type-options": "nosniff" } as const

/** One request and its answer. What is learnt on the way is noted here for the log line and the metrics. */
export interface ExchangeShape {
  readonly requestId: string
  /** The path as sent, without the query. */
  readonly path: string
  readonly typePrefix: string
  /** On the monotonic clock. */
  readonly startedAtNanos: bigint
  /** The template of the route that answers, once it is known: `/v1/refunds/:refundId`. */
  route: string | undefined
  /** Whose key it is, once it is known. */
  merchantId: MerchantId | undefined
  /** Why the request is refused, once it is. */
  code: ProblemCode | undefined
  /** What the request was counted as, once it was. */
  limited: RateVerdict | undefined
}

/** The exchange in progress. The edge opens one for every request; elsewhere it is missing. */
export const Exchange = Context.Reference<ExchangeShape>("@surety/http/Exchange", {
  defaultValue: () => {
    throw new Error("There is no exchange outside the edge.")
  }
})

/** A caller's own request id is kept when it is of this form. */
const acceptedRequestId = /^[A-Za-z0-9._-]{1,128}$/

/** The id that a request goes by: the caller's own where it sent a valid one. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && acceptedRequestId.test(sent) ? sent : crypto.randomUUID()

/** The exchange that a request opens. */
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
  merchantId: undefined,
  code: undefined,
  limited: undefined
})

const contextOf = ({ path, requestId, typePrefix }: ExchangeShape): ProblemContext => ({
  requestId,
  instance: path,
  typePrefix
})

/** The headers of every answer. */
export const exchangeHeaders = ({ limited, requestId }: ExchangeShape): Readonly<Record<string, string>> =>
  limited === undefined
    ? { "x-request-id": requestId, ...nosniff }
    : { ...rateLimitFields(limited), "x-request-id": requestId, ...nosniff }

/** Headers that a problem's status requires, in every part of the service. */
const requiredHeaders = ({ options, status }: Problem): Readonly<Record<string, string>> =>
  status === 429 && options.headers?.["retry-after"] === undefined ? { "retry-after": "1" } : {}

/** An answer of JSON text that is made already. */
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

/** The answer to a request that is refused. */
export const problemAnswer = (exchange: ExchangeShape, problem: Problem): HttpServerResponse.HttpServerResponse => {
  exchange.code = problem.code
  return HttpServerResponse.text(JSON.stringify(problemDetails(problem, contextOf(exchange))), {
    status: problem.status,
    contentType: problemContentType,
    headers: { ...requiredHeaders(problem), ...problem.options.headers, ...exchangeHeaders(exchange) }
  })
}
