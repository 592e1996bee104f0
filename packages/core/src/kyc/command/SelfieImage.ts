import { Result } from "effect"
import { Base64 } from "effect/encoding"

const dataUri = /^data:image\/[a-z0-9.+-]+;base64,/iu

/** Number of Base64 characters that encode the first twelve bytes, which identify the image format. */
const headLength = 16

const startsWith = (bytes: Uint8Array, at: number, expected: ReadonlyArray<number>): boolean =>
  expected.every((byte, index) => bytes[at + index] === byte)

const isJpeg = (bytes: Uint8Array): boolean => startsWith(bytes, 0, [0xff, 0xd8, 0xff])
const isPng = (bytes: Uint8Array): boolean => startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Returns true if the bytes begin with `RIFF`, four bytes of length, and `WEBP`. */
const isWebp = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50])

/**
 * Matches the first character that is neither Base64 nor a line break. Padding is checked separately. The `u` flag
 * would make matching five times slower and change nothing, since half of a surrogate pair matches too.
 */
const foreign = /[^A-Za-z0-9+/\r\n]/g
const padding = /^={0,2}[\r\n]*$/u

const startOf = (text: string): number => dataUri.exec(text.slice(0, 64))?.[0].length ?? 0

/** Returns true if the string starts like a Base64 JPEG, PNG or WebP image, bare or as a data URI. */
export const beginsAsImage = (text: string): boolean => {
  const start = startOf(text)
  const head = Base64.decode(text.slice(start, start + headLength))
  return Result.isSuccess(head) && (isJpeg(head.success) || isPng(head.success) || isWebp(head.success))
}

/**
 * Returns true if the string begins like a JPEG, PNG or WebP image, bare or as a data URI, and is valid Base64.
 * Line breaks are allowed after the first `headLength` Base64 characters.
 *
 * Decodes only the first bytes and checks the rest without copying: the string may have up to 12,000,000 characters.
 */
export const isImage = (text: string): boolean => {
  if (!beginsAsImage(text)) return false
  foreign.lastIndex = startOf(text)
  const end = foreign.exec(text)?.index ?? text.length
  return text.length - end <= 8 && padding.test(text.slice(end))
}
