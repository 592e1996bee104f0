import { type Array as Arr, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64Url, Hex } from "effect/encoding"
import { Fingerprint, type Fingerprints } from "../idempotency/Fingerprint.js"
import { IdentityHash } from "../kyc/command/IdNumber.js"

/** A secret encrypted with AES-256-GCM under a subkey of the key with id `keyId`. */
export const SealedSecret = Schema.Struct({
  keyId: Schema.String,
  /** A 12-byte nonce, the ciphertext and a 16-byte tag. */
  bytes: Schema.Uint8Array
})
export type SealedSecret = typeof SealedSecret.Type

/** A sealed secret cannot be opened: its key is not listed, its bytes were changed, or its owner differs. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>(
  "@surety/core/secret/Keyring/SecretUnreadable"
)("SecretUnreadable", { keyId: Schema.String }) {
  override get message(): string {
    return (
      `A stored secret was sealed under key ${this.keyId}, which does not open it. ` +
      "Put that key back into the list of secret keys."
    )
  }
}

/** A secret key is not 32 bytes long. */
export class InvalidSecretKey extends Schema.TaggedError<InvalidSecretKey>(
  "@surety/core/secret/Keyring/InvalidSecretKey"
)("InvalidSecretKey", { position: Schema.Int, byteLength: Schema.Int }) {
  override get message(): string {
    return `Secret key ${this.position} has ${this.byteLength} bytes; each must have 32.`
  }
}

/**
 * The server's own keys. HKDF derives a subkey for each purpose. Sealed secrets and hashes carry the id of their key,
 * so that keys can be rotated: the first key is active, and the others still open the secrets that they sealed.
 */
export class Keyring extends Context.Service<
  Keyring,
  {
    /** Ids of the listed keys, the active one first. An id reveals nothing about the key. */
    readonly keyIds: ReadonlyArray<string>

    /**
     * Seals a secret for `owner`, usually a record's id, under the active key. Opening it requires the same `owner`.
     */
    readonly seal: (owner: string, secret: Redacted.Redacted<string>) => Effect.Effect<SealedSecret>

    readonly open: (owner: string, sealed: SealedSecret) => Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>

    /** Computes the fingerprints of a string, such as a canonical request: one per listed key, the active one first. */
    readonly fingerprints: (canonicalRequest: string) => Effect.Effect<Fingerprints>

    /** Derives 32 secret bytes for `use` from each listed key, the active one first. */
    readonly seeds: (
      use: "receipt-signature"
    ) => Effect.Effect<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>>

    /** Computes the hash that represents an identity number, keyed with the active key. */
    readonly identityHash: (number: Redacted.Redacted<string>) => Effect.Effect<IdentityHash>
  }
>()("@surety/core/secret/Keyring") {}

interface Subkeys {
  readonly id: string
  readonly sealing: Aead.Key
  readonly fingerprinting: Mac.Key
  readonly identifying: Mac.Key
}

const nonceLength = 12
/**
 * Length of a fingerprint's MAC in bytes. The MAC is truncated to half its length to save space, since a fingerprint is
 * stored with every idempotency key. RFC 2104 recommends at least half.
 */
const fingerprintLength = 16
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const make = Effect.fnUntraced(function* (secretKeys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>) {
  const aead = yield* Aead.Aead
  const mac = yield* Mac.Mac
  const kdf = yield* Kdf.Kdf
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom

  const derive = (secret: Uint8Array, use: string) =>
    Effect.orDie(kdf.derive(Kdf.hkdfSha256, secret, { salt: encode("surety"), info: encode(use), length: 32 }))

  const subkeys = yield* Effect.forEach(secretKeys, (redacted, index) =>
    Effect.gen(function* () {
      const secret = Redacted.value(redacted)
      if (secret.length !== 32) {
        return yield* new InvalidSecretKey({ position: index + 1, byteLength: secret.length })
      }
      const id = Hex.encode((yield* digest.digest(Digest.sha256, yield* derive(secret, "key-id"))).slice(0, 4))
      const keys: Subkeys = {
        id,
        sealing: yield* Effect.orDie(Aead.key(Aead.aes256Gcm, yield* derive(secret, "seal"))),
        fingerprinting: yield* Effect.orDie(Mac.key(Mac.hmacSha256, yield* derive(secret, "fingerprint"))),
        identifying: yield* Effect.orDie(Mac.key(Mac.hmacSha256, yield* derive(secret, "identity")))
      }
      return keys
    })
  )
  const active = subkeys[0]

  const seal = Effect.fnUntraced(function* (owner: string, secret: Redacted.Redacted<string>) {
    const nonce = yield* random.randomBytes(nonceLength)
    const ciphertext = yield* Effect.orDie(
      aead.encrypt(active.sealing, encode(Redacted.value(secret)), { nonce, aad: encode(owner) })
    )
    const bytes = new Uint8Array(nonceLength + ciphertext.length)
    bytes.set(nonce)
    bytes.set(ciphertext, nonceLength)
    return { keyId: active.id, bytes }
  })

  const open = Effect.fnUntraced(function* (owner: string, sealed: SealedSecret) {
    const unreadable = () => new SecretUnreadable({ keyId: sealed.keyId })
    const key = subkeys.find(({ id }) => id === sealed.keyId)
    if (key === undefined || sealed.bytes.length < nonceLength) return yield* unreadable()
    const plaintext = yield* aead
      .decrypt(key.sealing, sealed.bytes.slice(nonceLength), {
        nonce: sealed.bytes.slice(0, nonceLength),
        aad: encode(owner)
      })
      .pipe(Effect.mapError(unreadable))
    return Redacted.make(new TextDecoder().decode(plaintext))
  })

  const fingerprints = Effect.fnUntraced(function* (canonicalRequest: string) {
    const data = encode(canonicalRequest)
    return yield* Effect.forEach(subkeys, ({ fingerprinting, id }) =>
      Effect.map(Effect.orDie(mac.sign(fingerprinting, data)), (tag) =>
        Fingerprint.make(`${id}.${Base64Url.encode(tag.slice(0, fingerprintLength))}`)
      )
    )
  })

  const identityHash = Effect.fnUntraced(function* (number: Redacted.Redacted<string>) {
    const tag = yield* Effect.orDie(mac.sign(active.identifying, encode(Redacted.value(number))))
    return IdentityHash.make(`${active.id}.${Base64Url.encode(tag)}`)
  })

  const seeds = (use: string) =>
    Effect.forEach(secretKeys, (secret) =>
      Effect.map(derive(Redacted.value(secret), use), (seed) => Redacted.make(seed, { label: use }))
    )

  return Keyring.of({ keyIds: subkeys.map(({ id }) => id), seal, open, fingerprints, identityHash, seeds })
})

/**
 * Provides a keyring over `secretKeys`. The first is active, and the others still open the secrets that they sealed.
 * Fails with `InvalidSecretKey` if a key is not 32 bytes long.
 */
export const layer = (
  secretKeys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>
): Layer.Layer<Keyring, InvalidSecretKey, Aead.Aead | Mac.Mac | Kdf.Kdf | Digest.Digest | SecureRandom.SecureRandom> =>
  Layer.effect(Keyring, make(secretKeys))
