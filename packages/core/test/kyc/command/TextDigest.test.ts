import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { textDigest } from "@surety/core/kyc/command/TextDigest"
import { Effect } from "effect"

const digestOf = (text: string) => textDigest(text).pipe(Effect.provide(NodeCrypto.layer))

describe("The digest of a long text", () => {
  it.effect("is the same for the same text, and another for another, wherever they differ", () =>
    Effect.gen(function* () {
      const text = "a".repeat(200_000)
      assert.strictEqual(yield* digestOf(text), yield* digestOf("a".repeat(200_000)))
      const others = [0, 65_535, 65_536, 131_071, 199_999].map((at) => `${text.slice(0, at)}b${text.slice(at + 1)}`)
      const digests = yield* Effect.forEach([text, `${text}a`, text.slice(1), "", ...others], digestOf)
      assert.strictEqual(new Set(digests).size, digests.length)
    })
  )

  it.effect("tells characters apart that lie across the end of a piece", () =>
    Effect.gen(function* () {
      const across = (character: string) => `${"a".repeat(65_535)}${character}${"a".repeat(10)}`
      assert.notStrictEqual(yield* digestOf(across("😀")), yield* digestOf(across("😁")))
      assert.strictEqual(yield* digestOf(across("😀")), yield* digestOf(across("😀")))
    })
  )
})
