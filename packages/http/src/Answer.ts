import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Exchange, type ExchangeShape, problemAnswer } from "./Exchange.js"
import { Problem } from "./problem/Problem.js"
import { type DomainError, problemOf } from "./problem/Problems.js"

/** What a handler does within `exchange`: its success, or the answer to whatever refused it. */
export const answerIn = <A, R>(
  exchange: ExchangeShape,
  handling: Effect.Effect<A, DomainError | Problem, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(handling, (error) => {
    const answered = Effect.succeed(problemAnswer(exchange, error instanceof Problem ? error : problemOf(error)))
    return error._tag === "StoreError"
      ? Effect.andThen(
          Effect.annotateLogs(Effect.logWarning(error.message), { requestId: exchange.requestId }),
          answered
        )
      : answered
  })

/** What a handler does: its success, or the answer to whatever refused it. */
export const answer = <A, R>(
  handling: Effect.Effect<A, DomainError | Problem, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.flatMap(Exchange, (exchange) => answerIn(exchange, handling))
