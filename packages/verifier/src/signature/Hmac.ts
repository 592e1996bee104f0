import { concat } from "./concat.js"
import { utf8 } from "./utf8.js"

/** HMAC-SHA256 under one key, over a prefix (as UTF-8) and then the body. */
export type HmacKey = (
  prefix: string,
  body: Uint8Array<ArrayBuffer>,
  encoding: "base64" | "hex"
) => string | Promise<string>

/** A way to compute HMAC-SHA256. */
export interface Hmac {
  /**
   * The key called `name`, or `undefined` if it has no material. A key is imported once and cached, since
   * importing it costs more than signing a small body.
   */
  readonly key: (name: string, material: () => Uint8Array<ArrayBuffer> | undefined) => HmacKey | undefined
}

/** The number of cached keys; beyond it the oldest is imported again at its next use. */
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

/** The part of `node:crypto` that is used, if the runtime has it. */
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
 * HMAC by the runtime's own `node:crypto` (Node 20.16 or newer, Bun, Deno, workers that offer it), or `undefined` if
 * it is missing or fails RFC 4231's test. It is looked up at run time, never imported, so bundlers for
 * browsers and workers have nothing to resolve.
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

/** RFC 4231, test case 2: an incomplete polyfill must not verify signatures. */
const isRight = (hmac: Hmac): boolean => {
  const sign = hmac.key("self-test", () => utf8("Jefe"))
  return (
    sign?.("what do ya want ", utf8("for nothing?"), "hex") ===
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  )
}

/** HMAC by WebCrypto, which every supported runtime has. */
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

/** The faster of what this runtime has, found at the first use. */
export const platformHmac = (): Hmac => {
  chosen ??= nodeHmac() ?? webHmac()
  return chosen
}
