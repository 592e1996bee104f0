import { concat } from "./concat.js"

const encoder = new TextEncoder()

/**
 * Encodes a string as UTF-8. A string of at least 2,048 UTF-16 code units is first encoded into a buffer of one byte
 * per unit. Most JSON is ASCII, for which this is nearly twice as fast as `TextEncoder.encode`.
 */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => {
  if (text.length < 2048) return encoder.encode(text)
  const start = new Uint8Array(text.length)
  const { read, written } = encoder.encodeInto(text, start)
  return read === text.length ? start : concat([start.subarray(0, written), encoder.encode(text.slice(read))])
}
