import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Digest, type SecureRandom, Signature } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Keyring } from "../../secret/Keyring.js"
import type { Receipt } from "./Receipt.js"

/** A public JSON Web Key (RFC 8037). Its `kid` is the key's thumbprint (RFC 7638). */
export interface ReceiptKey {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly kid: string
  readonly use: "sig"
  readonly alg: "EdDSA"
}

/** `typ` in the signature's header. It keeps a JWS for another purpose from passing as a receipt (RFC 8725, 3.11). */
export const receiptType = "consent-receipt+jws"

/**
 * Signs receipts as proof for third parties. A signed receipt is a compact JWS (RFC 7515) with Ed25519 (RFC 8037). A
 * JOSE library that supports Ed25519 can verify it with the published keys (contract 7).
 *
 * By default, a signing key is derived from each secret key. The key from the active secret key signs, and all public
 * keys are published. Servers with the same secret keys derive the same signing keys. Signing a receipt twice with one
 * key gives the same signature.
 */
export class ReceiptSigner extends Context.Service<
  ReceiptSigner,
  {
    /** Public keys. The first one verifies new signatures. */
    readonly keys: ReadonlyArray<ReceiptKey>

    /** Signs a receipt as a compact JWS whose payload is `provenText`. */
    readonly sign: (receipt: Receipt) => Effect.Effect<string>
  }
>()("@surety/core/consent/receipt/ReceiptSigner") {}

/** Returns the payload to sign: the receipt's body as hashed, and its position in the merchant's chain. */
export const provenText = ({ body, hash, previousHash, sequence }: Receipt): string =>
  `{"receipt":${body},"chain":${JSON.stringify({ sequence, previousHash, hash })}}`

const base64Url = (text: string): string => Base64Url.encode(new TextEncoder().encode(text))

const makeKey = Effect.fnUntraced(function* (seed: Redacted.Redacted<Uint8Array>) {
  const signature = yield* Signature.Signature
  const digest = yield* Digest.Digest
  const secret = yield* Signature.privateKey(Signature.ed25519, Redacted.value(seed))
  const x = Base64Url.encode(yield* Signature.toBytes(yield* signature.publicKeyOf(secret)))
  // A thumbprint hashes exactly these members, in this order (RFC 8037, 2).
  const thumbprint = new TextEncoder().encode(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
  const kid = Base64Url.encode(yield* digest.digest(Digest.sha256, thumbprint))
  const published: ReceiptKey = { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }
  return { secret, published }
}, Effect.orDie)

/**
 * Layer that derives the keys from the keyring. If a `ReceiptSigner` is already provided, such as a hardware module's,
 * the layer uses it instead.
 */
export const layer: Layer.Layer<ReceiptSigner, never, Keyring | Digest.Digest | SecureRandom.SecureRandom> =
  Layer.effect(
    ReceiptSigner,
    Effect.gen(function* () {
      const provided = yield* Effect.serviceOption(ReceiptSigner)
      if (Option.isSome(provided)) return provided.value
      const signature = yield* Signature.Signature
      const [first, ...others] = yield* (yield* Keyring).seeds("receipt-signature")
      const active = yield* makeKey(first)
      const older = yield* Effect.forEach(others, makeKey)
      const header = base64Url(JSON.stringify({ alg: "EdDSA", kid: active.published.kid, typ: receiptType }))

      const sign = Effect.fnUntraced(function* (receipt: Receipt) {
        const signed = `${header}.${base64Url(provenText(receipt))}`
        const bytes = yield* Effect.orDie(signature.sign(active.secret, new TextEncoder().encode(signed)))
        return `${signed}.${Base64Url.encode(bytes)}`
      })

      return ReceiptSigner.of({ keys: [active, ...older].map(({ published }) => published), sign })
    })
  ).pipe(Layer.provide(Signature.layerWebCrypto))
