import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { ByteSize, Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { answer } from "../Answer.js"
import { Limiting } from "../access/Limiting.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { bodyTooLarge } from "../form/RequestBody.js"
import * as NotedRoute from "../NotedRoute.js"
import { type Problem, problem } from "../problem/Problem.js"
import { retryAfter } from "../problem/Refusal.js"
import { kycCallbackPath } from "../RouteTable.js"

/** Body limit for callbacks, which may contain results with portraits. */
export const callbackBytes = 2 * 1024 * 1024

const callbackLimit = ByteSize.fromInputUnsafe(callbackBytes)

/** Timeout for receiving a callback's body. */
const readWithin = Duration.seconds(10)

/**
 * Refusal of a callback that is not authentic. A callback for an unknown provider gets the same refusal, so that
 * responses do not reveal which providers exist.
 */
const notAuthentic = problem("callback_not_authentic", { headers: { "www-authenticate": "Signature" } })

const crowded = problem("service_unavailable", {
  detail: "Too many callbacks are in flight. Retry the same one after Retry-After seconds.",
  headers: { ...retryAfter(5), connection: "close" }
})

/**
 * Maximum declared length of a callback that needs no permit. A longer callback, or one without a declared length, is
 * refused while `largeAtOnce` such callbacks are being read or processed. Anyone can send callbacks, so their memory
 * use must be limited.
 */
const smallBytes = 64 * 1024
const largeAtOnce = 16

const declaredBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number => {
  const length = Number(headers["content-length"] ?? callbackBytes)
  return Number.isSafeInteger(length) && length >= 0 ? length : callbackBytes
}

/** Reads the body as raw bytes, because a signature may cover them. Accepts any content type, within the limit. */
const readRaw = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array, Problem> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, callbackLimit),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? bodyTooLarge(callbackBytes)
        : problem("invalid_json", { detail: "The body could not be read completely." })
    ),
    Effect.timeoutOrElse({
      duration: readWithin,
      orElse: () => Effect.fail(problem("request_timeout", { headers: { connection: "close" } }))
    }),
    Effect.map((bytes) => new Uint8Array(bytes))
  )

const callbackOf = ({ headers }: HttpServerRequest.HttpServerRequest, body: Uint8Array): KycCallback => ({
  body: Redacted.make(body, { label: "KYC callback" }),
  headers: { ...headers }
})

/**
 * Adds the route `POST /callbacks/kyc/{provider}`: a KYC vendor's callback, authenticated by the vendor's signature
 * (contract 8). An authentic callback gets 200, even if repeated. A lookup it triggers may outlast the response. An
 * unauthenticated callback gets 401 and counts against its address's limit, if one is set. An address over the limit
 * gets 429 for every callback. No response reveals providers or verifications.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Verifications | Limiting> = HttpRouter.use(
  (router) =>
    Effect.gen(function* () {
      const verifications = yield* Verifications
      const room = yield* Semaphore.make(largeAtOnce)
      const limiting = yield* Limiting

      const received = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const exchange = yield* Exchange
        const barred = yield* limiting.barred(request, exchange, "callback")
        if (barred !== undefined) return yield* Effect.fail(barred)
        const bytes = declaredBytes(request)
        if (bytes > callbackBytes) return yield* Effect.fail(bodyTooLarge(callbackBytes))
        const { provider = "" } = yield* HttpRouter.params
        const taken = Effect.flatMap(readRaw(request), (body) =>
          verifications.callback(provider, callbackOf(request, body))
        )
        const isAuthentic =
          bytes <= smallBytes
            ? yield* taken
            : yield* Semaphore.withPermitsIfAvailable(room, 1, taken).pipe(
                Effect.flatMap(Option.match({ onNone: () => Effect.fail(crowded), onSome: Effect.succeed }))
              )
        if (isAuthentic) {
          return jsonAnswer(exchange, '{"received":true}', 200)
        }
        return yield* Effect.fail((yield* limiting.address(request, exchange, "callback")) ?? notAuthentic)
      })
      const answering: Effect.Effect<
        HttpServerResponse.HttpServerResponse,
        never,
        HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
      > = answer({}, received)
      yield* router.add("POST", kycCallbackPath, answering)
    })
).pipe(Layer.provide(NotedRoute.layer))
