import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit, type Scope } from "effect"
import { isGone } from "../connection/storeFailure.js"
import * as Batcher from "./Batcher.js"
import type { Database, InnerError } from "./Database.js"

export interface TogetherOptions<I, A> {
  /** The port's verb. */
  readonly operation: string
  readonly maxBatch: number
  /** Works on all in one commit, and answers what each of them is told, by itself and its place. */
  readonly all: (inputs: ReadonlyArray<I>) => Effect.Effect<(input: I, place: number) => A, InnerError>
}

/** Several, since what spoils a batch may have to wait for a lock, and what it spoiled is behind it. */
const aloneAtOnce = 4

/**
 * A verb whose calls at the same time go together, in one commit, which waits for the disk once. A call that comes alone
 * is worked on at once. What spoils a batch is worked on by itself, and so is what is inside a host's transaction.
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
        // Called very often, and a call's stack is looked at very seldom.
        Effect.withSpan(`Pg${operation}`, undefined, { captureStackTrace: false })
      )
  )
}
