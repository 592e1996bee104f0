import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { KeyCanaryStore, type KnownKeys } from "@surety/core/secret/KeyCanaryStore"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import { type Array as Arr, Effect, Layer, Redacted } from "effect"

type Keys = Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)]

const withKeys = <A, E, R>(keys: Keys, work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Layer.provide(Keyring.layer(keys), NodeCrypto.layer))

const idOf = (key: Redacted.Redacted<Uint8Array>) =>
  withKeys(
    [key],
    Effect.map(Keyring.Keyring, ({ keyIds }) => keyIds.join())
  )

/** Makes a store whose secrets in use are sealed under the keys with these ids. */
const makeStore = (sealedUnder: ReadonlyArray<string> = [], lostIds: ReadonlyArray<string> = []) => {
  const canaries = new Map<string, Keyring.SealedSecret>()
  const store = KeyCanaryStore.of({
    admit: (_now, decide) =>
      Effect.sync(() => {
        const known: KnownKeys = { canaries: [...canaries.values()], sealedUnder, lostIds }
        const { answer, canary } = decide(known)
        if (canary !== undefined) canaries.set(canary.keyId, canary)
        return answer
      })
  })
  const check = (keys: Keys, options?: { readonly keep: boolean }) =>
    withKeys(keys, Effect.provideService(SecretKeys.check(options), KeyCanaryStore, store))
  const refusal = (keys: Keys) =>
    Effect.map(Effect.flip(check(keys)), (error) =>
      error._tag === "SecretKeysRefused" ? error.message : assert.fail(error._tag)
    )
  return { canaries, store, check, refusal }
}

describe("Secret keys at a start", () => {
  it.effect("leave a canary of the active key, once, and are admitted again with it", () =>
    Effect.gen(function* () {
      const { canaries, check } = makeStore()
      yield* check([first])
      const [left] = canaries.values()
      assert.deepStrictEqual([...canaries.keys()], [yield* idOf(first)])
      yield* check([first])
      assert.deepStrictEqual([...canaries.values()], [left])
      yield* check([second, first])
      assert.deepStrictEqual([...canaries.keys()], [yield* idOf(first), yield* idOf(second)])
      yield* check([second])
    })
  )

  it.effect("leave none if they are only looked at", () =>
    Effect.gen(function* () {
      const { canaries, check } = makeStore()
      yield* check([first], { keep: false })
      assert.strictEqual(canaries.size, 0)
    })
  )

  it.effect("are checked by the layer", () =>
    Effect.gen(function* () {
      const { canaries, store } = makeStore()
      const built = Layer.build(SecretKeys.layer).pipe(Effect.scoped, Effect.provideService(KeyCanaryStore, store))
      yield* withKeys([first], built)
      assert.strictEqual(canaries.size, 1)
      assert.strictEqual((yield* Effect.flip(withKeys([second], built)))._tag, "SecretKeysRefused")
    })
  )

  it.effect("are refused if none of them was used before, and the ones that were are named", () =>
    Effect.gen(function* () {
      const { canaries, check, refusal } = makeStore()
      yield* check([first])
      yield* check([second, first])
      const known = [yield* idOf(first), yield* idOf(second)].toSorted().join(", ")
      assert.strictEqual(
        yield* refusal([third]),
        `This database was used with secret keys ${known}, and the list has only key ${yield* idOf(third)}. ` +
          "List the key that it was used with; a new one goes in front of it."
      )
      assert.strictEqual(canaries.size, 2)
    })
  )

  it.effect("are refused if one that seals secrets in use is missing", () =>
    Effect.gen(function* () {
      const gone = yield* idOf(third)
      const { canaries, refusal } = makeStore([gone])
      assert.strictEqual(
        yield* refusal([second, first]),
        `Secrets that are still in use were sealed under secret key ${gone}, not in the list. ` +
          "Put it back, behind the active key."
      )
      assert.strictEqual(canaries.size, 0)
    })
  )

  it.effect("are refused if the active one was declared lost, and the message says what to do", () =>
    Effect.gen(function* () {
      const found = yield* idOf(third)
      const { canaries, check, refusal } = makeStore([], [found])
      assert.strictEqual(
        yield* refusal([third, first]),
        `The active secret key ${found} was declared lost in this database. List it behind another key: it opens there ` +
          `what it sealed. Or make it active again: first delete its row (key_id '${found}') from the table ` +
          "secret_key, as the tables' owner."
      )
      assert.strictEqual(canaries.size, 0)
      yield* check([first, third])
    })
  )

  it.effect("are refused if one has the id of another's canary, or opens another text", () =>
    Effect.gen(function* () {
      const { canaries, check, refusal } = makeStore()
      yield* check([first])
      const id = yield* idOf(first)
      const unlike =
        `The listed secret key ${id} does not open what this database has of that id. ` +
        "List the key that it was used with."
      const seal = (key: Redacted.Redacted<Uint8Array>, owner: string, text: string) =>
        withKeys(
          [key],
          Effect.flatMap(Keyring.Keyring, (keyring) => keyring.seal(owner, Redacted.make(text)))
        )
      const others = [
        yield* seal(second, "surety secret key", "canary"),
        yield* seal(first, "surety secret key", "another"),
        yield* seal(first, "another owner", "canary")
      ]
      for (const { bytes } of others) {
        canaries.set(id, { keyId: id, bytes })
        assert.strictEqual(yield* refusal([first]), unlike)
      }
      canaries.set(id, yield* seal(first, "surety secret key", "canary"))
      yield* check([first])
    })
  )
})
