import { Effect, Stream } from "effect"

/** Reads a body to its end. If the body exceeds `limitBytes`, stops reading and returns undefined. */
export const readWhole = Effect.fnUntraced(function* <E, R>(body: Stream.Stream<Uint8Array, E, R>, limitBytes: number) {
  const chunks: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEachWhile(body, (chunk) =>
    Effect.sync(() => {
      length += chunk.length
      if (length <= limitBytes) chunks.push(chunk)
      return length <= limitBytes
    })
  )
  if (length > limitBytes) return undefined
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
})
