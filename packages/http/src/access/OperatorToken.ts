import { type Operator, type OperatorCredential, soleOperator } from "@surety/core/operator/Operator"
import type { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { sameText } from "@surety/core/secret/sameText"
import { Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"
import { Problem, problem } from "../problem/Problem.js"
import { bearerCredential, challenge } from "./Bearer.js"
import type { CredentialKind } from "./Limiting.js"

const apiKeyForm = /^sk_(test|live)_/i

/**
 * Returns the credential kind for counting a request with a missing or unknown operator token. An API key sent by
 * mistake is not a guess at the token, so it counts separately.
 */
export const operatorAttempt = (request: HttpServerRequest.HttpServerRequest): CredentialKind => {
  const presented = bearerCredential(request)
  if (presented === undefined) return "no-credential"
  return apiKeyForm.test(Redacted.value(presented)) ? "api-key" : "operator-token"
}

export const hasOperators = ({ operatorToken, operators = [] }: OperatorTokens): boolean =>
  operatorToken !== undefined || operators.length > 0

const hashOf = (token: string): Effect.Effect<string> =>
  Effect.flatMap(Digest.Digest, (digest) => digest.digestHex(Digest.sha256, new TextEncoder().encode(token))).pipe(
    Effect.provide(Digest.layerWebCrypto)
  )

/** Compares every operator's hash, so that timing does not reveal which one matches. */
const namedBy = (operators: ReadonlyArray<OperatorCredential>, hash: string): Operator | undefined => {
  let found: Operator | undefined
  for (const { name, role, tokenHash } of operators) {
    if (sameText(tokenHash, hash)) found = { name, role }
  }
  return found
}

export const operatorOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { operatorToken, operators = [] }: OperatorTokens
): Effect.fn.Return<Operator | Problem> {
  const presented = bearerCredential(request)
  if (presented === undefined) return problem("missing_operator_token", { headers: challenge })
  const token = Redacted.value(presented)
  if (operatorToken !== undefined && sameText(Redacted.value(operatorToken), token)) return soleOperator
  const named = operators.length === 0 ? undefined : namedBy(operators, yield* hashOf(token))
  return named ?? problem("invalid_operator_token", { headers: challenge })
})

export const isProblem = (admitted: Operator | Problem | undefined): admitted is Problem => admitted instanceof Problem
