import { Result } from "effect"
import type { Logo } from "../ConsentPageSettings.js"

/** Maximum logo size in bytes. Each page and its assets together must stay below 30 kB. */
export const largestLogo = 8 * 1024

const startsWith = (bytes: Uint8Array, signature: ReadonlyArray<number>, at = 0): boolean =>
  signature.every((byte, index) => bytes[at + index] === byte)

/** Detects PNG and WebP by their first bytes, and SVG by its root element. */
const typeOf = (bytes: Uint8Array): Logo["contentType"] | undefined => {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png"
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8)) return "image/webp"
  const text = new TextDecoder().decode(bytes)
  return /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/u.test(text) ? "image/svg+xml" : undefined
}

/**
 * Reads a logo: an SVG, PNG or WebP of at most 8 KiB. Fails with text to append to the setting's name, such as `is not
 * an SVG, …`.
 */
export const readLogo = (bytes: Uint8Array): Result.Result<Logo, string> => {
  if (bytes.byteLength > largestLogo) {
    return Result.fail(`has ${bytes.byteLength} bytes; a logo has at most ${largestLogo}, so that the page stays small`)
  }
  const contentType = typeOf(bytes)
  return contentType === undefined
    ? Result.fail("is not an SVG, PNG or WebP image")
    : Result.succeed({ contentType, bytes })
}

const unsafe = /^(?:javascript|data|vbscript|blob|file):/iu

/**
 * Parses the absolute url of a user-facing link, for example to a site or app. Rejects unsafe schemes such as
 * `javascript`, and urls with a user name or password. Fails with text to append to the setting's name.
 */
export const readHome = (text: string): Result.Result<string, string> => {
  const url = URL.parse(text)
  if (url === null || unsafe.test(text.trim()) || !/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) {
    return Result.fail("is not an absolute url such as https://wallet.example or walletapp://home")
  }
  return url.username === "" && url.password === ""
    ? Result.succeed(url.href)
    : Result.fail("must not have a user name or password in it")
}
