import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"
import { bearerCredential, challenge } from "./Bearer.js"

/** Compares without a hint, by its time, at where the texts differ: it takes as long as `expected` is. */
const isSameText = (expected: string, presented: string): boolean => {
  let difference = expected.length ^ presented.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ presented.charCodeAt(index)
  }
  return difference === 0
}

/** Why the request is not the operator's; `undefined` when it is. */
export const operatorProblem = (
  request: HttpServerRequest.HttpServerRequest,
  expected: Redacted.Redacted<string> | undefined
): Problem | undefined => {
  const presented = bearerCredential(request)
  if (presented === undefined) return problem("missing_operator_token", { headers: challenge })
  return expected !== undefined && isSameText(Redacted.value(expected), Redacted.value(presented))
    ? undefined
    : problem("invalid_operator_token", { headers: challenge })
}
