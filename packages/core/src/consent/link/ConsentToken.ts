import { Effect, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { SealedSecret } from "../../secret/Keyring.js"
import { ConsentLinkUnknown } from "../ConsentError.js"

/**
 * SHA-256 of a link's token, in hex. A fast hash suffices: the token has 256 random bits. Keys from `nameOfPerson` have
 * this type too, but are not hashes of tokens.
 */
export const ConsentTokenHash = Schema.String.pipe(Schema.brand("ConsentTokenHash"))
export type ConsentTokenHash = typeof ConsentTokenHash.Type

/** A consent link as stored. It holds the token only as a hash and inside the sealed url. */
export interface ConsentLink {
  readonly tokenHash: ConsentTokenHash
  /** The full url, sealed with the request's id as owner. Stored so that it can be sent later and repeatedly. */
  readonly sealedUrl: SealedSecret
}

/**
 * Generates the token of a consent link, or of a management link that is issued without a decision: 32 random bytes in
 * base64url.
 */
export const next: Effect.Effect<Redacted.Redacted<string>, never, SecureRandom.SecureRandom> = Effect.gen(
  function* () {
    const bytes = yield* (yield* SecureRandom.SecureRandom).randomBytes(32)
    return Redacted.make(Base64Url.encode(bytes), { label: "consent token" })
  }
)

/**
 * Derives the management link's token from a consent link's token by a one-way hash. So the page after a decision can
 * show the management link, although only the hash of its token is stored.
 */
export const managementTokenOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const digest = yield* Digest.Digest
  const bytes = yield* digest.digest(
    Digest.sha256,
    new TextEncoder().encode(`surety consents ${Redacted.value(token)}`)
  )
  return Redacted.make(Base64Url.encode(bytes), { label: "consent token" })
})

/** Hashes a token for storage and lookup. */
export const hashOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const digest = yield* Digest.Digest
  return ConsentTokenHash.make(yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(Redacted.value(token))))
})

/** Hashes a token sent by a visitor. Fails with `ConsentLinkUnknown` if it is longer than 128 characters. */
export const hashOfSent = (
  token: Redacted.Redacted<string>
): Effect.Effect<ConsentTokenHash, ConsentLinkUnknown, Digest.Digest> =>
  Redacted.value(token).length > 128 ? Effect.fail(new ConsentLinkUnknown()) : hashOf(token)
