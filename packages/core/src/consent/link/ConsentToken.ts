import { Effect, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"

/** SHA-256 of a token, in hex. The token has 256 random bits, so a fast hash is the right one. */
export const ConsentTokenHash = Schema.String.pipe(Schema.brand("ConsentTokenHash"))
export type ConsentTokenHash = typeof ConsentTokenHash.Type

/** What lets its holder decide on one request: 32 random bytes in base64url. */
export const next: Effect.Effect<Redacted.Redacted<string>, never, SecureRandom.SecureRandom> = Effect.gen(
  function* () {
    const bytes = yield* (yield* SecureRandom.SecureRandom).randomBytes(32)
    return Redacted.make(Base64Url.encode(bytes), { label: "consent token" })
  }
)

/**
 * The token with which whoever holds a link takes back what they decided on there. It follows from the link's own, which
 * does not follow from it, so that the page after the decision can name it again and nothing but its hash is kept.
 */
export const managementTokenOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const digest = yield* Digest.Digest
  const bytes = yield* digest.digest(
    Digest.sha256,
    new TextEncoder().encode(`surety consents ${Redacted.value(token)}`)
  )
  return Redacted.make(Base64Url.encode(bytes), { label: "consent token" })
})

/** Whether it may be a token: a longer one is none of ours, and not worth the hashing. */
export const isOfForm = (token: Redacted.Redacted<string>): boolean => Redacted.value(token).length <= 128

/** The form in which a token is stored and looked up. */
export const hashOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const digest = yield* Digest.Digest
  return ConsentTokenHash.make(yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(Redacted.value(token))))
})
