import { Context, Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { sameText } from "../secret/sameText.js"
import { type OperatorCredential, soleOperator } from "./Operator.js"

/** The tokens that operators may present: the deployment's unnamed token and named tokens. Both are optional. */
export interface OperatorTokens {
  readonly operatorToken?: Redacted.Redacted<string> | undefined
  readonly operators?: ReadonlyArray<OperatorCredential> | undefined
}

/** The operators' tokens in force (contract 15). Default: none. */
export const OperatorTokens = Context.Reference<OperatorTokens>("@surety/core/operator/OperatorCredentials", {
  defaultValue: () => ({})
})

export const hashOf = (text: string): Effect.Effect<string, never, Digest.Digest> =>
  Effect.flatMap(Digest.Digest, (digest) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text)))

export const credentials = Effect.fnUntraced(function* ({ operators = [], operatorToken }: OperatorTokens) {
  if (operatorToken === undefined) return operators
  const sole: OperatorCredential = { ...soleOperator, tokenHash: yield* hashOf(Redacted.value(operatorToken)) }
  return [...operators, sole]
})

/**
 * Returns the credential of a presented token, or undefined if the token is empty or unknown. Compares the token with every
 * credential, so that timing does not reveal which one matches.
 */
export const credentialOf = Effect.fnUntraced(function* (tokens: OperatorTokens, presented: Redacted.Redacted<string>) {
  if (Redacted.value(presented) === "") return undefined
  const hash = yield* hashOf(Redacted.value(presented))
  let found: OperatorCredential | undefined
  for (const credential of yield* credentials(tokens)) {
    if (sameText(credential.tokenHash, hash)) found = credential
  }
  return found
})
