import { assert, describe, it } from "@effect/vitest"
import * as NodeRandom from "@surety/webhooks/node/NodeRandom"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

describe("NodeRandom", () => {
  it.effect("gives as many bytes as asked for, never the same twice, across its blocks", () =>
    Effect.gen(function* () {
      const { randomBytes } = yield* SecureRandom.SecureRandom
      const drawn = yield* Effect.replicateEffect(randomBytes(10), 2_000)
      assert.isTrue(drawn.every(({ length }) => length === 10))
      assert.strictEqual(new Set(drawn.map(Hex.encode)).size, drawn.length)
      for (const size of [0, 1, 512, 513, 100_000]) assert.lengthOf(yield* randomBytes(size), size)
    }).pipe(Effect.provide(NodeRandom.layer))
  )

  it.effect("gives bytes that the next draw does not change", () =>
    Effect.gen(function* () {
      const { randomBytes } = yield* SecureRandom.SecureRandom
      const first = yield* randomBytes(16)
      const before = Hex.encode(first)
      first.fill(0)
      const second = yield* randomBytes(16)
      assert.notStrictEqual(Hex.encode(second), before)
      assert.notStrictEqual(Hex.encode(second), Hex.encode(first))
    }).pipe(Effect.provide(NodeRandom.layer))
  )
})
