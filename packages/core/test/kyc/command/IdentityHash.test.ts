import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Keyring from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted } from "effect"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const number = Redacted.make("bvn:22222222222")

const hashUnder = (...bytes: readonly [number, ...ReadonlyArray<number>]) => {
  const [active, ...older] = bytes
  const layer = Keyring.layer([keyOf(active), ...older.map(keyOf)]).pipe(Layer.provide(NodeCrypto.layer))
  return Effect.gen(function* () {
    const keyring = yield* Keyring.Keyring
    const [fingerprint] = yield* keyring.fingerprints(Redacted.value(number))
    return { hash: yield* keyring.identityHash(number), fingerprint }
  }).pipe(Effect.provide(layer))
}

describe("The hash of an identity number", () => {
  it.effect("is the same for the same number under the same key, and names the key", () =>
    Effect.gen(function* () {
      const { hash } = yield* hashUnder(1)
      assert.match(hash, /^[0-9a-f]{8}\.[A-Za-z0-9_-]{43}$/)
      assert.strictEqual((yield* hashUnder(1, 2)).hash, hash)
      assert.notStrictEqual((yield* hashUnder(2, 1)).hash, hash, "the first key is the active one")
    })
  )

  it.effect("cannot be compared with a fingerprint: each use has a key of its own", () =>
    Effect.gen(function* () {
      const { fingerprint, hash } = yield* hashUnder(1)
      assert.strictEqual(hash.slice(0, 9), fingerprint.slice(0, 9))
      assert.notStrictEqual(hash.slice(9), fingerprint.slice(9))
    })
  )
})
