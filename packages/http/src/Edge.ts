import { type InputFault, issueFaults } from "@surety/core/input/InputFault"
import { isPlainPath } from "@surety/core/PlainPath"
import { Refunds } from "@surety/core/refund/Refunds"
import { Requests } from "@surety/core/request/Requests"
import { type Cause, Clock, Context, Effect, type Fiber, type Layer, References } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Limiting } from "./access/Limiting.js"
import { MerchantGate } from "./access/MerchantGate.js"
import { singleHeaderProblem } from "./access/Preconditions.js"
import { make as makeInFlight, RequestsAtOnce } from "./access/RequestsAtOnce.js"
import { Guides } from "./docs/GuideSite.js"
import { Exchange, type ExchangeShape, exchangeHeaders, openExchange, problemAnswer } from "./Exchange.js"
import { makeFastPaths } from "./FastPaths.js"
import { bodyTooLarge } from "./form/RequestBody.js"
import { HostedRoutes } from "./HostedRoutes.js"
import { HttpSettings } from "./HttpSettings.js"
import { withLocation } from "./Locations.js"
import { noRouteProblem } from "./NotFound.js"
import { type Fault, unknownParameter } from "./problem/Fault.js"
import { type Problem, problem, problemOfFaults } from "./problem/Problem.js"
import { entryOf, isLogged, logAnswered } from "./RequestLog.js"
import { recordUnsafe } from "./RequestMetrics.js"
import { belowBase, documentPaths, isHealthPath } from "./RouteTable.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

const isBodyTooLarge = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) &&
  error.reason._tag === "RequestParseError" &&
  error.reason.reason === "BodyTooLarge"

/** Returns the first failure or defect of a cause, or `undefined` if the cause has only interruptions. */
const firstFailure = (cause: Cause.Cause<unknown>): { readonly value: unknown } | undefined => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") return { value: reason.error }
    if (reason._tag === "Die") return { value: reason.defect }
  }
  return undefined
}

const inQuery = ({ code, detail, path }: InputFault): Fault => {
  const name = String(path[0] ?? "")
  return code === "unknown_field" ? unknownParameter(name) : { place: { in: "query", name }, code, detail }
}

/**
 * Returns the problem for a query that its schema rejects, or `undefined` for any other failure. Forms check the
 * bodies.
 */
const problemOfSchemaError = (failure: unknown): Problem | undefined =>
  HttpApiError.HttpApiSchemaError.is(failure) && failure.kind === "Query"
    ? problemOfFaults(issueFaults(failure.cause.issue).map(inQuery))
    : undefined

const expectedProblem = (failure: unknown): Problem | undefined =>
  isBodyTooLarge(failure) ? bodyTooLarge() : problemOfSchemaError(failure)

const internalError = (cause: Cause.Cause<unknown>, exchange: ExchangeShape): Effect.Effect<Response> =>
  Effect.as(
    Effect.annotateLogs(Effect.logError("Request failed", cause), {
      requestId: exchange.requestId,
      route: exchange.route ?? "none"
    }),
    problemAnswer(exchange, problem("internal_error"))
  )

/** Returns the status to record for an interrupted request: 499, as in nginx, if the client disconnected, else 503. */
const statusOfStopped = ({ reasons }: Cause.Cause<unknown>): 499 | 503 =>
  reasons.some(({ annotations }) => annotations.has(HttpServerError.ClientAbort.key)) ? 499 : 503

const longestUrl = 4096

const withExchangeHeaders = (response: Response, exchange: ExchangeShape): Response =>
  response.headers["x-request-id"] === undefined
    ? HttpServerResponse.setHeaders(response, exchangeHeaders(exchange))
    : response

const nanosOf = (fiber: Fiber.Fiber<unknown, unknown>): bigint => fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()

const millisOf = (fiber: Fiber.Fiber<unknown, unknown>): number => fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

const measure = (
  { method }: Request,
  { route, startedAtNanos }: ExchangeShape,
  status: number,
  fiber: Fiber.Fiber<unknown, unknown>
): bigint => {
  const tookNanos = nanosOf(fiber) - startedAtNanos
  recordUnsafe(fiber.context, { method, route, status, tookNanos })
  return tookNanos
}

/**
 * Completes every response except those of `turnAway`. Only a request with a valid key enters its merchant's request
 * log.
 */
const finish = (
  request: Request,
  exchange: ExchangeShape,
  response: Response,
  fiber: Fiber.Fiber<unknown, unknown>,
  publicUrl: string,
  note: Requests["Service"]["note"]
) => {
  const located = withLocation(response, request.method, exchange, publicUrl)
  const answered = withExchangeHeaders(located, exchange)
  const tookNanos = measure(request, exchange, answered.status, fiber)
  const entry = entryOf(request.method, exchange, answered.status, millisOf(fiber))
  if (entry !== undefined) note(entry)
  return isLogged(fiber.getRef(References.MinimumLogLevel), answered.status, exchange.code)
    ? Effect.as(logAnswered(request.method, exchange, answered, tookNanos), answered)
    : Effect.succeed(answered)
}

/**
 * Wraps every request, matched or not. Opens the exchange, and turns failures into problems. Refuses requests beyond
 * `RequestsAtOnce`, except probes and metrics. Adds headers to responses, and records metrics and logs.
 */
export const layer: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | HttpSettings | Limiting | MerchantGate | Refunds | Requests
> = HttpRouter.middleware(
  Effect.gen(function* () {
    const settings = yield* HttpSettings
    const gate = yield* MerchantGate
    const limiting = yield* Limiting
    const fastPaths = makeFastPaths(settings.basePath, gate, yield* Refunds)
    const hostedAt = yield* HostedRoutes
    const { note } = yield* Requests
    const inFlight = makeInFlight(yield* RequestsAtOnce)
    const leave = Effect.sync(inFlight.leave)
    const guides = new Set((yield* Guides)?.pages.map(({ slug }) => slug))
    const typePrefix = `${settings.publicUrl}${documentPaths.errors}#`

    const recover = (
      request: Request,
      exchange: ExchangeShape,
      failure: unknown,
      cause: Cause.Cause<unknown>
    ): Effect.Effect<Response> => {
      if (HttpServerResponse.isHttpServerResponse(failure)) return Effect.succeed(failure)
      if (isRouteNotFound(failure)) {
        return Effect.map(noRouteProblem(request, exchange, { gate, limiting, settings, guides }), (it) =>
          problemAnswer(exchange, it)
        )
      }
      const expected = expectedProblem(failure)
      return expected === undefined ? internalError(cause, exchange) : Effect.succeed(problemAnswer(exchange, expected))
    }

    const turnAway = (
      request: Request,
      exchange: ExchangeShape,
      refusal: Problem,
      fiber: Fiber.Fiber<unknown, unknown>
    ): Effect.Effect<Response> => {
      const response = withExchangeHeaders(problemAnswer(exchange, refusal), exchange)
      measure(request, exchange, response.status, fiber)
      return Effect.as(inFlight.tell(millisOf(fiber)), response)
    }

    const routed = <E, R>(
      routes: Effect.Effect<Response, E, R>,
      { url }: Request,
      exchange: ExchangeShape
    ): Effect.Effect<Response, E, R> => {
      if (url.length > longestUrl) return Effect.succeed(problemAnswer(exchange, problem("uri_too_long")))
      if (exchange.path !== "/" && !isPlainPath(exchange.path))
        return Effect.succeed(problemAnswer(exchange, problem("route_not_found")))
      return Effect.provideService(routes, Exchange, exchange)
    }

    const handle = <E, R>(
      routes: Effect.Effect<Response, E, R>,
      request: Request,
      exchange: ExchangeShape
    ): Effect.Effect<Response, E, R> => {
      const fastPath = fastPaths.get(`${request.method} ${request.url}`)
      if (fastPath === undefined) exchange.route = hostedAt(belowBase(exchange.path, settings.basePath) ?? "")
      const unclear = singleHeaderProblem(request)
      if (unclear !== undefined) return Effect.succeed(problemAnswer(exchange, unclear))
      return fastPath === undefined ? routed(routes, request, exchange) : fastPath(request, exchange)
    }

    return (routes) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const exchange = openExchange(request, typePrefix, nanosOf(fiber))
        const isBounded = !isHealthPath(exchange.path)
        const refusal = isBounded ? inFlight.enter() : undefined
        if (refusal !== undefined) return turnAway(request, exchange, refusal, fiber)
        const answered = Effect.suspend(() =>
          Effect.matchCauseEffect(handle(routes, request, exchange), {
            onSuccess: (response) => finish(request, exchange, response, fiber, settings.publicUrl, note),
            onFailure: (cause) => {
              const failure = firstFailure(cause)
              if (failure === undefined) {
                measure(request, exchange, statusOfStopped(cause), fiber)
                return Effect.failCause(cause)
              }
              return Effect.flatMap(recover(request, exchange, failure.value, cause), (response) =>
                finish(request, exchange, response, fiber, settings.publicUrl, note)
              )
            }
          })
        )
        return isBounded ? Effect.ensuring(answered, leave) : answered
      })
  }),
  { global: true }
)
