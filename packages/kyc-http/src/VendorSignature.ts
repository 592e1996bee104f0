import { Effect, Layer, Redacted, Result } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"

/** Encoding of a vendor's signatures. */
export type SignatureText = "hex" | "base64"

/** A signer and verifier with one of a vendor's keys. */
export interface VendorSignature {
  readonly sign: (data: Uint8Array) => Effect.Effect<string>
  /** Compares in constant time. Returns false for a malformed signature. */
  readonly verify: (signature: string, data: Uint8Array) => Effect.Effect<boolean>
}

const macs = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const utf8 = new TextEncoder()

/**
 * Creates a signer and verifier of HMAC signatures under a vendor's key. Dies if the key is empty, so that an empty
 * setting prevents startup.
 *
 * @example
 * const signature = yield* make({ algorithm: Mac.hmacSha512, key: webhookSecret, text: "hex" })
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly algorithm: Mac.Algorithm
  /** The key, used as UTF-8 bytes. */
  readonly key: Redacted.Redacted<string>
  readonly text: SignatureText
}) {
  const mac = yield* Mac.Mac
  const { algorithm, key: secret, text } = options
  const key = yield* Effect.orDie(Mac.key(algorithm, utf8.encode(Redacted.value(secret))))
  const encode = (bytes: Uint8Array): string => (text === "hex" ? Hex.encode(bytes) : Base64.encode(bytes))
  const decode = (given: string) => (text === "hex" ? Hex.decode(given) : Base64.decode(given))
  const signature: VendorSignature = {
    sign: (data) => Effect.map(Effect.orDie(mac.sign(key, data)), encode),
    verify: (given, data) => {
      const tag = decode(given.trim())
      return Result.isSuccess(tag) ? Effect.orDie(mac.verify(key, tag.success, data)) : Effect.succeed(false)
    }
  }
  return signature
}, Effect.provide(macs))
