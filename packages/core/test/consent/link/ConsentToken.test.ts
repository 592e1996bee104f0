import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as ConsentToken from "@surety/core/consent/link/ConsentToken"
import { Effect, Redacted } from "effect"

describe("The token of a link", () => {
  it.effect("is looked up by its SHA-256", () =>
    Effect.gen(function* () {
      const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      assert.strictEqual(yield* ConsentToken.hashOf(Redacted.make("abc")), abc)
      assert.strictEqual(yield* ConsentToken.hashOfSent(Redacted.make("abc")), abc)
    }).pipe(Effect.provide(NodeCrypto.layer))
  )

  it.effect("is unknown without a hash if it is longer than any of ours", () =>
    Effect.gen(function* () {
      const longest = Redacted.make("a".repeat(128))
      assert.strictEqual(yield* ConsentToken.hashOfSent(longest), yield* ConsentToken.hashOf(longest))
      const longer = yield* Effect.flip(ConsentToken.hashOfSent(Redacted.make("a".repeat(129))))
      assert.strictEqual(longer._tag, "ConsentLinkUnknown")
    }).pipe(Effect.provide(NodeCrypto.layer))
  )

  it.effect("has 32 random bytes, and another one leads on from it", () =>
    Effect.gen(function* () {
      const token = yield* ConsentToken.next
      const managed = yield* ConsentToken.managementTokenOf(token)
      for (const secret of [token, managed]) {
        assert.match(Redacted.value(secret), /^[\w-]{43}$/u)
        assert.strictEqual(String(secret), "<redacted:consent token>")
      }
      assert.notStrictEqual(Redacted.value(managed), Redacted.value(token))
      assert.strictEqual(
        Redacted.value(yield* ConsentToken.managementTokenOf(token)),
        Redacted.value(managed),
        "the same link leads to the same one"
      )
    }).pipe(Effect.provide(NodeCrypto.layer))
  )
})
