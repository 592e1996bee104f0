import { createCipheriv, createHash, createHmac, hkdfSync } from "node:crypto"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { isSameRequest } from "@surety/core/idempotency/Fingerprint"
import * as Keyring from "@surety/core/secret/Keyring"
import { type Array as Arr, Effect, Layer, Redacted, Result, Schema } from "effect"

const keyOf = (byte: number, length = 32) => Redacted.make(new Uint8Array(length).fill(byte))

const first = keyOf(1)
const second = keyOf(2)
const third = keyOf(3)

/** Runs `use` with a keyring of these keys, the first of which is active. */
const withKeys = <A, E>(
  keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>,
  use: (keyring: Keyring.Keyring["Service"]) => Effect.Effect<A, E>
) => Effect.flatMap(Keyring.Keyring, use).pipe(Effect.provide(Layer.provide(Keyring.layer(keys), NodeCrypto.layer)))

const secret = Redacted.make("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
const seal = withKeys([first], (keyring) => keyring.seal("endpoint_1", secret))

const opened = (
  keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>,
  sealed: Keyring.SealedSecret,
  owner = "endpoint_1"
) => withKeys(keys, (keyring) => keyring.open(owner, sealed))

const refused = Effect.fnUntraced(function* (open: ReturnType<typeof opened>, keyId: string) {
  const error = yield* Effect.flip(open)
  assert.strictEqual(error._tag, "SecretUnreadable")
  assert.include(error.message, keyId)
  assert.notInclude(`${error} ${JSON.stringify(error)}`, "whsec_")
})

const contains = (haystack: Uint8Array, needle: Uint8Array): boolean =>
  haystack.some((_, start) => needle.every((byte, index) => haystack[start + index] === byte))

describe("a sealed secret", () => {
  it.effect("opens for its owner, under the key that it names", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      assertEquals(yield* opened([first], sealed), secret)
      assert.strictEqual(`${yield* opened([first], sealed)}`, "<redacted>")
      for (const text of ["", "x", "₦ \u0000 🔑".repeat(1_000)]) {
        const other = yield* withKeys([first], (keyring) => keyring.seal("endpoint_1", Redacted.make(text)))
        assert.strictEqual(Redacted.value(yield* opened([first], other)), text)
      }
    })
  )

  it.effect("shows nothing of the secret, and is another one every time", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* seal, yield* seal]
      const utf8 = new TextEncoder().encode(Redacted.value(secret))
      assert.strictEqual(one.bytes.length, 12 + utf8.length + 16, "nonce, ciphertext and tag")
      for (let start = 0; start + 4 <= utf8.length; start += 1) {
        assert.isFalse(contains(one.bytes, utf8.slice(start, start + 4)))
      }
      assert.strictEqual(one.keyId, two.keyId)
      assert.notDeepEqual(one.bytes, two.bytes)
      assert.notDeepEqual(one.bytes.slice(0, 12), two.bytes.slice(0, 12), "a nonce is never used again")
    })
  )

  it.effect("opens for no other owner", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      for (const owner of ["endpoint_2", "endpoint_", "endpoint_11", ""]) {
        yield* refused(opened([first], sealed, owner), sealed.keyId)
      }
    })
  )

  it.effect("does not open when any bit of it was changed, or it was cut short", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      for (let index = 0; index < sealed.bytes.length; index += 1) {
        const bytes = Uint8Array.from(sealed.bytes)
        bytes[index] = (bytes[index] ?? 0) ^ 1
        yield* refused(opened([first], { ...sealed, bytes }), sealed.keyId)
      }
      for (const length of [0, 1, 11, 12, 13, 27, 28, sealed.bytes.length - 1]) {
        yield* refused(opened([first], { ...sealed, bytes: sealed.bytes.slice(0, length) }), sealed.keyId)
      }
    })
  )

  it.effect("still opens after the active key was changed, until its own is no longer listed", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      assertEquals(yield* opened([second, first], sealed), secret)
      assertEquals(yield* opened([third, second, first], sealed), secret)
      yield* refused(opened([second, third], sealed), sealed.keyId)
      const newer = yield* withKeys([second, first], (keyring) => keyring.seal("endpoint_1", secret))
      assert.notStrictEqual(newer.keyId, sealed.keyId, "new ones are sealed under the active key")
      assertEquals(yield* opened([second], newer), secret)
    })
  )

  it.effect("does not open under a key that only claims to be its own", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      const { keyId } = yield* withKeys([second], (keyring) => keyring.seal("endpoint_1", secret))
      yield* refused(opened([first, second], { ...sealed, keyId }), keyId)
    })
  )
})

describe("a fingerprint", () => {
  const fingerprints = (keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>, text: string) =>
    withKeys(keys, (keyring) => keyring.fingerprints(text))

  it.effect("is the same for the same request and another for another", () =>
    Effect.gen(function* () {
      assertEquals(yield* fingerprints([first], "a"), yield* fingerprints([first], "a"))
      const texts = ["", "a", "b", "ab", "a ", "A", "ä"]
      const all = yield* Effect.forEach(texts, (text) => fingerprints([first], text))
      assert.strictEqual(new Set(all.flat()).size, texts.length)
    })
  )

  it.effect("is made under every listed key, the active one's first, and is recognised after a rotation", () =>
    Effect.gen(function* () {
      const [stored] = yield* fingerprints([first], "request")
      const rotated = yield* fingerprints([second, first], "request")
      assert.lengthOf(rotated, 2)
      assert.notStrictEqual(rotated[0], stored)
      assert.isTrue(isSameRequest(stored, rotated))
      assert.isFalse(isSameRequest(stored, yield* fingerprints([second, first], "another")))
      assert.isFalse(isSameRequest(stored, yield* fingerprints([second], "request")))
    })
  )

  it.effect("names its key, as secrets do, and tells nothing of the request", () =>
    Effect.gen(function* () {
      const sealed = yield* seal
      const [fingerprint] = yield* fingerprints([first], "22222222222")
      assert.match(fingerprint, /^[0-9a-f]{8}\.[\w-]{22}$/u)
      assert.isTrue(fingerprint.startsWith(`${sealed.keyId}.`))
      assert.notInclude(fingerprint, "2222")
    })
  )
})

describe("a keyring", () => {
  it.effect("wants keys of 32 bytes and says which one is not", () =>
    Effect.gen(function* () {
      const none = (_: Keyring.Keyring["Service"]) => Effect.void
      for (const length of [0, 16, 31, 33, 64]) {
        const error = yield* Effect.flip(withKeys([first, keyOf(7, length)], none))
        assert.strictEqual(error.message, `Secret key 2 has ${length} bytes; each must have 32.`)
      }
    })
  )
})

/**
 * Derives a subkey with Node's own HKDF, to compare with the keyring's. A change in the keyring's derivation would make
 * every stored secret unreadable.
 */
const derived = (key: Redacted.Redacted<Uint8Array>, use: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", Redacted.value(key), "surety", use, 32))

const idOf = (key: Redacted.Redacted<Uint8Array>): string =>
  createHash("sha256").update(derived(key, "key-id")).digest("hex").slice(0, 8)

const taggedBy = (key: Redacted.Redacted<Uint8Array>, use: string, text: string, length = 32): string =>
  `${idOf(key)}.${createHmac("sha256", derived(key, use)).update(text).digest().subarray(0, length).toString("base64url")}`

describe("what another program makes of the same key", () => {
  it.effect("opens: AES-256-GCM under the subkey for sealing, the owner authenticated", () =>
    Effect.gen(function* () {
      const nonce = new Uint8Array(12).fill(9)
      const cipher = createCipheriv("aes-256-gcm", derived(first, "seal"), nonce).setAAD(Buffer.from("endpoint_1"))
      const bytes = Buffer.concat([nonce, cipher.update(Redacted.value(secret)), cipher.final(), cipher.getAuthTag()])
      assertEquals(yield* opened([first], { keyId: idOf(first), bytes: new Uint8Array(bytes) }), secret)
    })
  )

  it.effect("is the same fingerprint: half of the tag, under the subkey for fingerprints", () =>
    Effect.gen(function* () {
      const made = yield* withKeys([first, second], (keyring) => keyring.fingerprints("request"))
      assert.deepStrictEqual(
        [...made],
        [first, second].map((key) => taggedBy(key, "fingerprint", "request", 16))
      )
    })
  )

  it.effect("is the same hash of an identity number, under the active key's subkey for identities", () =>
    Effect.gen(function* () {
      const number = Redacted.make("22222222222")
      const made = yield* withKeys([second, first], (keyring) => keyring.identityHash(number))
      assert.strictEqual(made, taggedBy(second, "identity", "22222222222"))
    })
  )

  it.effect("are the same seeds for another use, of every key in order", () =>
    Effect.gen(function* () {
      const made = yield* withKeys([second, first], (keyring) => keyring.seeds("receipt-signature"))
      assert.deepStrictEqual(
        made.map((seed) => Buffer.from(Redacted.value(seed))),
        [second, first].map((key) => Buffer.from(derived(key, "receipt-signature")))
      )
      assert.strictEqual(String(made[0]), "<redacted:receipt-signature>")
      const ids = yield* withKeys([second, first], ({ keyIds }) => Effect.succeed(keyIds))
      assert.deepStrictEqual([...ids], [idOf(second), idOf(first)])
    })
  )
})

describe("a stored secret", () => {
  it("is read only with its key's id and its bytes", () => {
    const read = Schema.decodeUnknownResult(Keyring.SealedSecret)
    const whole = { keyId: "a", bytes: new Uint8Array(28) }
    assert.isTrue(Result.isSuccess(read(whole)))
    for (const part of [{ keyId: "a" }, { bytes: whole.bytes }, { ...whole, bytes: "AAAA" }, { ...whole, keyId: 1 }]) {
      assert.isTrue(Result.isFailure(read(part)))
    }
  })
})
