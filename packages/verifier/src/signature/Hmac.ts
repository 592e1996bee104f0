import { concat } from "./concat.js"
import { utf8 } from "./utf8.js"

/** Computes HMAC-SHA256 with one key, over a prefix (as UTF-8) followed by the body. */
export type HmacKey = (
  prefix: string,
  body: Uint8Array<ArrayBuffer>,
  encoding: "base64" | "hex"
) => string | Promise<string>

/** HMAC-SHA256 with cached keys, on `node:crypto` or on WebCrypto. */
export interface Hmac {
  /**
   * Returns the key cached under `name`, or imports it from the bytes that `material` returns. Returns `undefined` if
   * `material` returns none. Importing a key costs more than signing a small body.
   */
  readonly key: (name: string, material: () => Uint8Array<ArrayBuffer> | undefined) => HmacKey | undefined
}

/** Maximum number of cached keys. Beyond it, the oldest key is dropped and imported again on its next use. */
const maxKeys = 256

const remembering = (importKey: (material: Uint8Array<ArrayBuffer>) => HmacKey): Hmac => {
  const keys = new Map<string, HmacKey>()
  return {
    key: (name, material) => {
      const known = keys.get(name)
      if (known !== undefined) return known
      const bytes = material()
      if (bytes === undefined) return undefined
      const key = importKey(bytes)
      for (const oldest of keys.keys()) {
        if (keys.size < maxKeys) break
        keys.delete(oldest)
      }
      keys.set(name, key)
      return key
    }
  }
}

interface NodeCrypto {
  readonly createSecretKey: (material: Uint8Array) => object
  readonly createHmac: (algorithm: "sha256", key: object) => NodeDigest
}

interface NodeDigest {
  readonly update: (data: string | Uint8Array) => NodeDigest
  readonly digest: (encoding: "base64" | "hex") => string
}

declare const process: { readonly getBuiltinModule?: (name: "node:crypto") => NodeCrypto | undefined } | undefined

/**
 * Returns an implementation on the runtime's own `node:crypto` (Node since 20.16 and 22.3, Bun, Deno, workers that
 * offer it). Returns `undefined` if the module is missing or fails RFC 4231's test. Looks the module up at run time, so
 * bundlers for browsers and workers have nothing to resolve.
 */
export const nodeHmac = (): Hmac | undefined => {
  try {
    const crypto = typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:crypto")
    if (crypto === undefined) return undefined
    const hmac = remembering((material) => {
      const key = crypto.createSecretKey(material)
      return (prefix, body, encoding) => crypto.createHmac("sha256", key).update(prefix).update(body).digest(encoding)
    })
    return isRight(hmac) ? hmac : undefined
  } catch {
    return undefined
  }
}

/** Returns true if `hmac` passes RFC 4231's test case 2. An incomplete polyfill must not verify signatures. */
const isRight = (hmac: Hmac): boolean => {
  const sign = hmac.key("self-test", () => utf8("Jefe"))
  return (
    sign?.("what do ya want ", utf8("for nothing?"), "hex") ===
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  )
}

/** Returns an implementation on WebCrypto, which every supported runtime has. */
export const webHmac = (): Hmac =>
  remembering((material) => {
    const { subtle } = globalThis.crypto
    const imported = subtle.importKey("raw", material, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    return async (prefix, body, encoding) => {
      const data = concat([utf8(prefix), body])
      const digest = new Uint8Array(await subtle.sign("HMAC", await imported, data))
      return encoding === "hex" ? hex(digest) : btoa(String.fromCharCode(...digest))
    }
  })

const hex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0")
  return text
}

let chosen: Hmac | undefined

/**
 * Returns the faster implementation, on `node:crypto`. If that module is missing or fails its test, returns the
 * WebCrypto implementation. Chooses on first use.
 */
export const platformHmac = (): Hmac => {
  chosen ??= nodeHmac() ?? webHmac()
  return chosen
}
