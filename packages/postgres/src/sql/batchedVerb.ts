import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit, type Scope } from "effect"
import { isGone } from "../connection/storeFailure.js"
import * as Batcher from "./Batcher.js"
import type { Database, InnerError } from "./Database.js"

export interface TogetherOptions<I, A> {
  /** Port and method, such as `DeliveryQueue.settle`, for errors and traces. */
  readonly operation: string
  readonly maxBatch: number
  /** Runs all inputs in one commit. Returns a function that maps an input and its position to its result. */
  readonly all: (inputs: ReadonlyArray<I>) => Effect.Effect<(input: I, place: number) => A, InnerError>
}

/**
 * Maximum number of inputs that run concurrently outside a batch. More than one, so that an input waiting for a lock
 * does not block the others.
 */
const aloneAtOnce = 4

/**
 * Builds a store operation whose concurrent calls share one commit and one flush to disk. While no batch is in flight,
 * a call runs immediately. A call inside a host's transaction runs alone. If a batch of several inputs fails, each
 * input is retried alone, unless the storage is unavailable.
 */
export const make = <I, A>(
  { inTransaction, verb }: Database,
  { all, maxBatch, operation }: TogetherOptions<I, A>
): Effect.Effect<(input: I) => Effect.Effect<A, StoreError>, never, Scope.Scope> => {
  const runAlone = (input: I): Effect.Effect<A, StoreError> =>
    verb(operation)(Effect.map(all([input]), (answerTo) => answerTo(input, 0)))

  const run = Effect.fnUntraced(function* (batch: ReadonlyArray<Batcher.Waiting<I, A, StoreError>>) {
    const exit = yield* Effect.exit(verb(operation)(all(batch.map(({ input }) => input))))
    if (Exit.isFailure(exit) && batch.length > 1 && !isGone(exit.cause)) return { later: [], alone: batch }
    for (const [place, { answer, input }] of batch.entries()) {
      answer(Exit.map(exit, (answerTo) => answerTo(input, place)))
    }
    return { later: [], alone: [] }
  })

  return Effect.map(
    Batcher.make<I, A, StoreError>({ maxBatch, atOnce: 1, aloneAtOnce, keysOf: () => [], run, runAlone }),
    (together) => (input: I) =>
      Effect.flatMap(inTransaction, (inside) => (inside ? runAlone(input) : together(input))).pipe(
        // No stack trace, because this is a hot path and the stack is rarely needed.
        Effect.withSpan(`Pg${operation}`, undefined, { captureStackTrace: false })
      )
  )
}
