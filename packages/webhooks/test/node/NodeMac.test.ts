import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import { Arbitrary, Effect, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"

const utf8 = new TextEncoder()

const tagBy = (
  layer: typeof NodeMac.layer,
  algorithm: Mac.Algorithm,
  key: Uint8Array,
  ...bodies: ReadonlyArray<Uint8Array>
) =>
  Effect.gen(function* () {
    const mac = yield* Mac.Mac
    const made = yield* Mac.key(algorithm, key)
    return yield* Effect.forEach(bodies, (body) => Effect.map(mac.sign(made, body), Hex.encode))
  }).pipe(Effect.provide(layer))

const octet = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))

const bytes = (minLength: number, maxLength: number) =>
  Arbitrary.map(Arbitrary.array(octet, { minLength, maxLength }), (octets) => Uint8Array.from(octets))

describe("NodeMac", () => {
  it.effect("gives RFC 4231's results, the second time too", () =>
    Effect.gen(function* () {
      const body = utf8.encode("what do ya want for nothing?")
      const tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      assertEquals(yield* tagBy(NodeMac.layer, Mac.hmacSha256, utf8.encode("Jefe"), body, body), [tag, tag])
      const [sha512] = yield* tagBy(NodeMac.layer, Mac.hmacSha512, utf8.encode("Jefe"), body)
      assert.match(sha512 ?? "", /^164b7a7bfcf819e2e395fbe73b56e0a3/)
    })
  )

  it.effect("signs with each key separately, as it was when the key was made", () =>
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      const body = utf8.encode("{}")
      const bytes = new Uint8Array(32).fill(1)
      const first = yield* Mac.key(Mac.hmacSha256, bytes)
      const before = yield* mac.sign(first, body)
      bytes.fill(2)
      const second = yield* Mac.key(Mac.hmacSha256, bytes)
      assertEquals(yield* mac.sign(first, body), before)
      assert.isFalse(yield* mac.verify(second, before, body))
      assert.isTrue(yield* mac.verify(first, before, body))
    }).pipe(Effect.provide(NodeMac.layer))
  )

  it.effect.prop("agrees with the platform's own HMAC", [bytes(1, 200), bytes(0, 2000)], ([key, body]) =>
    Effect.gen(function* () {
      for (const algorithm of [Mac.hmacSha1, Mac.hmacSha256, Mac.hmacSha384, Mac.hmacSha512]) {
        const expected = yield* tagBy(NodeCrypto.layer, algorithm, key, body)
        assertEquals(yield* tagBy(NodeMac.layer, algorithm, key, body), expected)
      }
    })
  )
})
