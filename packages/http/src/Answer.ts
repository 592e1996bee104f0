import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Exchange, type ExchangeShape, problemAnswer } from "./Exchange.js"
import { Problem } from "./problem/Problem.js"
import { type DomainError, problemOf } from "./problem/Problems.js"

/** What the log has of a refusal: which part of ours failed, without what was in it. */
const failureOf = (error: DomainError | Problem): string | undefined => {
  switch (error._tag) {
    case "StoreError":
      return error.message
    case "DirectoryUnavailable":
      return "The consumer directory did not answer"
    case "NotReady":
      return `Not ready: ${error.detail}`
    default:
      return undefined
  }
}

/** The answer to what refused a request. That a store or the directory failed is logged. */
export const refusalAnswer = (
  exchange: ExchangeShape,
  error: DomainError | Problem
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const answered = problemAnswer(exchange, error instanceof Problem ? error : problemOf(error))
  const failure = failureOf(error)
  return failure === undefined
    ? Effect.succeed(answered)
    : Effect.as(Effect.annotateLogs(Effect.logWarning(failure), { requestId: exchange.requestId }), answered)
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
