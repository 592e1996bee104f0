import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { type Digest, Mac } from "effect/crypto"

const opensslName = (hash: Digest.Algorithm["name"]): string => hash.replace("-", "").toLowerCase()

const keys = new WeakMap<Uint8Array, KeyObject>()

const keyOf = (bytes: Uint8Array): KeyObject => {
  const known = keys.get(bytes)
  if (known !== undefined) return known
  const key = createSecretKey(bytes)
  keys.set(bytes, key)
  return key
}

/**
 * Provides HMAC from `node:crypto`, like `NodeCrypto.layer`, but creates a `KeyObject` only once per key array.
 * Creating one takes five times as long as the HMAC of a webhook body (Node 24).
 */
export const layer: Layer.Layer<Mac.Mac> = Mac.layerWebCryptoWith({
  hmac: (hash, key, data) => new Uint8Array(createHmac(opensslName(hash), keyOf(key)).update(data).digest())
}).pipe(Layer.provide(NodeCrypto.layer))
