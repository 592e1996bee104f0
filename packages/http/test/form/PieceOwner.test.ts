import { expect, it } from "@effect/vitest"
import { BoundedBody } from "@surety/http/form/BoundedBody"
import { formOf, readForm } from "@surety/http/form/Form"
import { PieceOwner } from "@surety/http/form/PieceOwner"
import { readBody } from "@surety/http/form/RequestBody"
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { describe } from "vitest"

const text = `{"name":"${"a".repeat(100_000)}"}`
const form = formOf(Schema.Struct({ name: Schema.String }))

/**
 * Creates a request with a body in pieces. Each piece has its own buffer, except the last, which is a view of a larger
 * buffer.
 */
const inPieces = () => {
  const bytes = new TextEncoder().encode(text)
  const pieces = [bytes.slice(0, 40_000), bytes.slice(40_000, 80_000), bytes.subarray(80_000)]
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    }
  })
  const headers = { "content-type": "application/json" }
  const request = new Request("https://pay.example/", { method: "POST", body, headers, duplex: "half" })
  return { request: HttpServerRequest.fromWeb(request), pieces, lengths: () => pieces.map(({ length }) => length) }
}

describe("The pieces in which a body arrives", () => {
  it.effect("stay as they are if a host may hold them", () =>
    Effect.gen(function* () {
      const { lengths, request } = inPieces()
      const before = lengths()
      expect(yield* readForm(request, form)).toEqual(JSON.parse(text))
      expect(lengths()).toEqual(before)
    })
  )

  it.effect("are freed once they are copied, if the server owns them and each has a buffer to itself", () =>
    Effect.gen(function* () {
      const { lengths, pieces, request } = inPieces()
      const shared = pieces[2]?.length
      expect(yield* readForm(request, form)).toEqual(JSON.parse(text))
      expect(lengths()).toEqual([0, 0, shared])
    }).pipe(Effect.provideService(PieceOwner, "server"))
  )
})

describe("A body's bytes", () => {
  it.effect("stay until they are freed, which only frees what was allocated for them", () =>
    Effect.gen(function* () {
      const copied = yield* readBody(inPieces().request)
      expect(new TextDecoder().decode(copied.bytes)).toBe(text)
      copied.free()
      expect(copied.bytes).toHaveLength(0)
      const kept = Result.getOrThrow(BoundedBody.of(new TextEncoder().encode(text)))
      kept.free()
      expect(kept.bytes).toHaveLength(text.length)
    })
  )
})
