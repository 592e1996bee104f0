import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Exchange, type ExchangeShape, problemAnswer } from "./Exchange.js"
import { type Mapped, type Refusals, refusedBy, type Tagged } from "./problem/Refusal.js"

type Response = HttpServerResponse.HttpServerResponse

/** Refusals for exactly the errors `E`: one for each error, and no others. */
type Exactly<M, E extends Tagged> = Refusals<E> & { readonly [Tag in Exclude<keyof M, E["_tag"]>]: never }

/** Builds the response with the problem of an error. Logs a warning if `refusedBy` returns a line to log. */
export const refusalAnswer = <E extends Tagged>(
  exchange: ExchangeShape,
  refusals: Refusals<Mapped<E>>,
  error: E
): Effect.Effect<Response> => {
  const { log, problem } = refusedBy<E>(refusals, error)
  const answered = problemAnswer(exchange, problem)
  return log === undefined
    ? Effect.succeed(answered)
    : Effect.as(Effect.annotateLogs(Effect.logWarning(log), { requestId: exchange.requestId }), answered)
}

/** Runs a handler. Turns its errors into problem responses in the given exchange. */
export const answerIn = <A, E extends Tagged, R, const M extends Refusals<Mapped<E>>>(
  exchange: ExchangeShape,
  refusals: M & Exactly<M, Mapped<E>>,
  handling: Effect.Effect<A, E, R>
): Effect.Effect<A | Response, never, R> =>
  Effect.catch(handling, (error) => refusalAnswer<E>(exchange, refusals, error))

/** Like `answerIn`, in the current exchange. */
export const answer = <A, E extends Tagged, R, const M extends Refusals<Mapped<E>>>(
  refusals: M & Exactly<M, Mapped<E>>,
  handling: Effect.Effect<A, E, R>
): Effect.Effect<A | Response, never, R> =>
  Effect.flatMap(Exchange, (exchange) => answerIn(exchange, refusals, handling))
