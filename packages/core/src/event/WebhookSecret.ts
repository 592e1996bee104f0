import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

/**
 * Generates a signing secret: `whsec_` followed by 32 random bytes in base64, as in Standard Webhooks (contract 1.4).
 * The signing key for `X-Service-Signature` is the whole string in UTF-8. The signing key for `webhook-signature` is
 * the 32 bytes.
 */
export const next: Effect.Effect<Redacted.Redacted<string>, never, SecureRandom.SecureRandom> = Effect.gen(
  function* () {
    const bytes = yield* (yield* SecureRandom.SecureRandom).randomBytes(32)
    return Redacted.make(`whsec_${Base64.encode(bytes)}`, { label: "webhook secret" })
  }
)
