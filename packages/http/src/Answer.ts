import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Exchange, type ExchangeShape, problemAnswer } from "./Exchange.js"
import { Problem } from "./problem/Problem.js"
import { type DomainError, problemOf } from "./problem/Problems.js"

/** The answer to what refused a request. That a store failed is logged, by its verb alone. */
export const refusalAnswer = (
  exchange: ExchangeShape,
  error: DomainError | Problem
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const answered = problemAnswer(exchange, error instanceof Problem ? error : problemOf(error))
  return error._tag === "StoreError"
    ? Effect.as(Effect.annotateLogs(Effect.logWarning(error.message), { requestId: exchange.requestId }), answered)
    : Effect.succeed(answered)
}

/** What a handler does within `exchange`: its success, or the answer to whatever refused it. */
export const answerIn = <A, R>(
  exchange: ExchangeShape,
  handling: Effect.Effect<A, DomainError | Problem, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(handling, (error) => refusalAnswer(exchange, error))

/** What a handler does: its success, or the answer to whatever refused it. */
export const answer = <A, R>(
  handling: Effect.Effect<A, DomainError | Problem, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.flatMap(Exchange, (exchange) => answerIn(exchange, handling))
