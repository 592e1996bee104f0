import { concat } from "../signature/concat.js"
import { type RawBody, toBytes } from "./RawBody.js"

/** A raw body, or a stream of its bytes, such as a Node request or the `body` of a web request. */
export type ReceivableBody = RawBody | AsyncIterable<Uint8Array>

export const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body

/**
 * Reads a streamed body completely, or returns `undefined` if it exceeds `maxBytes`. A body that is not a stream is
 * returned unchanged, for `verify` to check. Rejects if the stream fails or yields anything but bytes or strings.
 */
export const readBody = async (body: ReceivableBody, maxBytes: number): Promise<RawBody | undefined> => {
  if (!isStream(body)) return body
  const chunks: Array<Uint8Array> = []
  let size = 0
  const iterator = body[Symbol.asyncIterator]()
  // Leaving a `for await` loop early would destroy a Node request, and no response could be sent.
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
    const chunk = toBytes(step.value)
    if (chunk === undefined) throw new TypeError("The body's stream does not yield bytes.")
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return concat(chunks)
}
