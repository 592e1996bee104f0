import { sameText } from "@surety/core/secret/sameText"
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"
import { bearerCredential, challenge } from "./Bearer.js"
import type { CredentialKind } from "./Limiting.js"

const apiKeyForm = /^sk_(test|live)_/i

/** What a refused request to the operator's routes counts as. An API key sent by mistake is no guess at the token. */
export const operatorAttempt = (request: HttpServerRequest.HttpServerRequest): CredentialKind => {
  const presented = bearerCredential(request)
  if (presented === undefined) return "no-credential"
  return apiKeyForm.test(Redacted.value(presented)) ? "api-key" : "operator-token"
}

/** The problem of a request without the operator's token; `undefined` if it has it. */
export const operatorProblem = (
  request: HttpServerRequest.HttpServerRequest,
  expected: Redacted.Redacted<string> | undefined
): Problem | undefined => {
  const presented = bearerCredential(request)
  if (presented === undefined) return problem("missing_operator_token", { headers: challenge })
  return expected !== undefined && sameText(Redacted.value(expected), Redacted.value(presented))
    ? undefined
    : problem("invalid_operator_token", { headers: challenge })
}
