import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Digest, type SecureRandom, Signature } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Keyring } from "../../secret/Keyring.js"
import type { Receipt } from "./Receipt.js"

/** A public key as a JSON Web Key (RFC 8037), named by its thumbprint (RFC 7638). */
export interface ReceiptKey {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly kid: string
  readonly use: "sig"
  readonly alg: "EdDSA"
}

/** The type in a signature's header: no other signature of ours can be taken for a receipt's (RFC 8725, 3.11). */
export const receiptType = "consent-receipt+jws"

/**
 * Signs receipts, so that they prove something to a third party: a JWS (RFC 7515) in its compact form, with Ed25519
 * (RFC 8037), which any JOSE library verifies with the published keys (contract 7).
 *
 * The keys are derived from the secret keys: the active one signs, all listed ones are published. All servers of one
 * list have the same keys, and a receipt always gets the same signature under one key.
 */
export class ReceiptSigner extends Context.Service<
  ReceiptSigner,
  {
    /** The public keys, the one that signs first. */
    readonly keys: ReadonlyArray<ReceiptKey>

    /** The receipt as a compact JWS. Its payload is `provenText`. */
    readonly sign: (receipt: Receipt) => Effect.Effect<string>
  }
>()("@surety/core/consent/receipt/ReceiptSigner") {}

/** What a signature covers: the receipt's text as it was hashed, and its place in the merchant's chain. */
export const provenText = ({ body, hash, previousHash, sequence }: Receipt): string =>
  `{"receipt":${body},"chain":${JSON.stringify({ sequence, previousHash, hash })}}`

const base64Url = (text: string): string => Base64Url.encode(new TextEncoder().encode(text))

const makeKey = Effect.fnUntraced(function* (seed: Redacted.Redacted<Uint8Array>) {
  const signature = yield* Signature.Signature
  const digest = yield* Digest.Digest
  const secret = yield* Signature.privateKey(Signature.ed25519, Redacted.value(seed))
  const x = Base64Url.encode(yield* Signature.toBytes(yield* signature.publicKeyOf(secret)))
  // The members and their order are the thumbprint's (RFC 7638, 3.2).
  const thumbprint = new TextEncoder().encode(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
  const kid = Base64Url.encode(yield* digest.digest(Digest.sha256, thumbprint))
  const published: ReceiptKey = { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }
  return { secret, published }
}, Effect.orDie)

/** Keeps a signer that is already provided: keys in a hardware module, or a simulation that waits for no promise. */
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
