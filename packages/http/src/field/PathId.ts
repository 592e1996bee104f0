import { Effect, Schema } from "effect"
import { type Problem, problem } from "../problem/Problem.js"
import type { ProblemCode } from "../problem/ProblemCode.js"

/** Builds a function that validates an id from a path. A malformed id fails with `notFound`, like an unknown one. */
export const pathId = <A extends string>(schema: Schema.Codec<A, string>, notFound: ProblemCode | Problem) => {
  const isId = Schema.is(schema)
  const failed = typeof notFound === "string" ? problem(notFound) : notFound
  return (sent: string): Effect.Effect<A, Problem> => (isId(sent) ? Effect.succeed(sent) : Effect.fail(failed))
}
