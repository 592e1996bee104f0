import { assert, describe, it } from "@effect/vitest"
import { apiKeyHash, environmentOf, last4Of, nextSecret } from "@surety/core/merchant/ApiKey"
import { Effect, Layer, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as FixedRandom from "../FixedRandom.js"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const environments = ["TEST", "LIVE"] as const

const textOf = (environment: "TEST" | "LIVE") => Effect.map(nextSecret(environment), Redacted.value)

const isKey = (text: string): boolean => environmentOf(Redacted.make(text)) !== undefined

const crypto = Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

describe("an API key's secret", () => {
  it.effect("has the prefix of its environment, 43 random characters and 6 of checksum", () =>
    Effect.gen(function* () {
      for (const environment of environments) {
        const text = yield* textOf(environment)
        assert.match(text, new RegExp(`^sk_${environment.toLowerCase()}_[0-9A-Za-z]{49}$`, "u"))
        assert.strictEqual(environmentOf(Redacted.make(text)), environment)
        assert.strictEqual(last4Of(Redacted.make(text)), text.slice(-4))
      }
      const secrets = yield* Effect.replicateEffect(textOf("LIVE"), 1_000)
      assert.strictEqual(new Set(secrets).size, 1_000)
      assert.isTrue(secrets.every(isKey))
    }).pipe(Effect.provide(crypto))
  )

  it.effect("holds all 32 random bytes", () =>
    Effect.gen(function* () {
      const largest = yield* textOf("TEST").pipe(Effect.provide(FixedRandom.layer(0xff, 0)))
      const smallest = yield* textOf("TEST").pipe(Effect.provide(FixedRandom.layer(0, 0)))
      const digits = [...largest.slice(8, 51)].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n)
      assert.strictEqual(digits, 2n ** 256n - 1n)
      assert.strictEqual(smallest.slice(8, 51), "0".repeat(43))
      assert.isTrue(isKey(largest) && isKey(smallest))
    })
  )

  it("is known offline by the CRC32 of what precedes the checksum", () => {
    // Checksums computed in Python: zlib.crc32(b"sk_test_" + b"0" * 43), and likewise for b"sk_live_", each in base 62.
    const zeros = "0".repeat(43)
    assert.strictEqual(environmentOf(Redacted.make(`sk_test_${zeros}1NyHUD`)), "TEST")
    assert.strictEqual(environmentOf(Redacted.make(`sk_live_${zeros}1Vxh1Z`)), "LIVE")
    assert.isUndefined(environmentOf(Redacted.make(`sk_live_${zeros}1NyHUD`)))
  })

  it.effect("is refused offline with any one character changed, added or left out, or two neighbours swapped", () =>
    Effect.gen(function* () {
      const text = yield* textOf("LIVE")
      for (let position = 0; position < text.length; position += 1) {
        const [before, after] = [text.slice(0, position), text.slice(position + 1)]
        for (const character of `${base62}_- `) {
          if (character !== text[position]) assert.isFalse(isKey(before + character + after))
          assert.isFalse(isKey(before + character + text.slice(position)))
        }
        assert.isFalse(isKey(before + after))
        const swapped = before + (after[0] ?? "") + (text[position] ?? "") + after.slice(1)
        if (swapped !== text) assert.isFalse(isKey(swapped))
      }
    }).pipe(Effect.provide(crypto))
  )

  it.effect(
    "is refused under the other environment's prefix, in other letter case and with white space around it",
    () =>
      Effect.gen(function* () {
        const text = yield* textOf("TEST")
        for (const other of [
          text.replace("sk_test_", "sk_live_"),
          text.toUpperCase(),
          ` ${text}`,
          `${text}\n`,
          `Bearer ${text}`,
          "",
          "sk_test_",
          "sk_live_x"
        ]) {
          assert.isFalse(isKey(other), other)
        }
      }).pipe(Effect.provide(crypto))
  )

  it.effect("is stored as its SHA-256 alone, and never shown", () =>
    Effect.gen(function* () {
      const secret = Redacted.make("abc")
      assert.strictEqual(yield* apiKeyHash(secret), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      const made = yield* nextSecret("LIVE")
      assert.notInclude(`${made} ${JSON.stringify({ made })}`, Redacted.value(made).slice(8))
    }).pipe(Effect.provide(crypto))
  )
})
