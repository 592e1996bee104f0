import { createHash } from "node:crypto"
import { provenText, type ReceiptKey, ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdentityHash } from "@surety/core/kyc/command/IdNumber"
import { Keyring, SecretUnreadable } from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Draw } from "../world/Draw.js"

const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data)

/** Synchronous SHA-256. With WebCrypto's promises, the order of fibers would depend on the machine. */
export const digest: Digest.Digest["Service"] = {
  digest: (_, data) => Effect.sync(() => new Uint8Array(sha256(data).digest())),
  digestHex: (_, data) => Effect.sync(() => sha256(data).digest("hex"))
}

export const layerDigest: Layer.Layer<Digest.Digest> = Layer.succeed(Digest.Digest, digest)

/** Builds a `SecureRandom` layer that takes its bytes from `draw`, so that the seed determines them. */
export const layerRandom = (draw: Draw): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.succeed(
    SecureRandom.SecureRandom,
    SecureRandom.make((size) => draw.bytes(size))
  )

const utf8 = new TextEncoder()
const keyId = "simulated"

/** A fast keyring that does not encrypt. Other tests cover encryption. */
export const layerKeyring: Layer.Layer<Keyring> = Layer.succeed(Keyring, {
  keyIds: [keyId],
  seal: (owner, secret) => Effect.sync(() => ({ keyId, bytes: utf8.encode(`${owner} ${Redacted.value(secret)}`) })),
  open: (owner, sealed) =>
    Effect.suspend(() => {
      const text = new TextDecoder().decode(sealed.bytes)
      return text.startsWith(`${owner} `)
        ? Effect.succeed(Redacted.make(text.slice(owner.length + 1)))
        : Effect.fail(new SecretUnreadable({ keyId: sealed.keyId }))
    }),
  fingerprints: (canonical) => Effect.sync(() => [Fingerprint.make(sha256(canonical).digest("base64url"))] as const),
  seeds: (use) => Effect.sync(() => [Redacted.make(new Uint8Array(sha256(use).digest()))] as const),
  identityHash: (number) =>
    Effect.sync(() => IdentityHash.make(`${keyId}.${sha256(Redacted.value(number)).digest("base64url")}`))
})

const receiptKey: ReceiptKey = { kty: "OKP", crv: "Ed25519", x: keyId, kid: keyId, use: "sig", alg: "EdDSA" }

/** A signer that only hashes. Other tests cover the signatures of receipts. */
export const layerReceiptSigner: Layer.Layer<ReceiptSigner> = Layer.succeed(ReceiptSigner, {
  keys: [receiptKey],
  sign: (receipt) => Effect.sync(() => sha256(provenText(receipt)).digest("base64url"))
})
