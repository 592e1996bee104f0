import { assert, describe, it } from "@effect/vitest"
import { decideKeys, type ListedKeys } from "@surety/core/secret/decideKeys"
import type { KnownKeys } from "@surety/core/secret/KeyCanaryStore"
import type { SealedSecret } from "@surety/core/secret/Keyring"

const canaryOf = (keyId: string): SealedSecret => ({ keyId, bytes: new Uint8Array([keyId.length]) })
const canary = canaryOf("new")

const decide = (known: Partial<KnownKeys>, listed: Partial<ListedKeys> = {}) =>
  decideKeys(
    { canaries: [], sealedUnder: [], lostIds: [], ...known },
    { keyIds: ["new", "old"], canary, opened: new Set(), ...listed }
  )

const known = (...keyIds: ReadonlyArray<string>): Partial<KnownKeys> => ({ canaries: keyIds.map(canaryOf) })

describe("A list of secret keys", () => {
  it("is admitted to a store that knows none, with the canary of its active key", () => {
    assert.deepStrictEqual(decide({}), { answer: { _tag: "Admitted" }, canary })
    assert.deepStrictEqual(decide({}, { canary: undefined }), { answer: { _tag: "Admitted" }, canary: undefined })
  })

  it("is admitted once each known key of it has opened its canary, and stores none that the active key has", () => {
    const behind = known("old")
    assert.deepStrictEqual(decide(behind), {
      answer: { _tag: "Unopened", canary: canaryOf("old") },
      canary: undefined
    })
    assert.deepStrictEqual(decide(behind, { opened: new Set(["old"]) }), { answer: { _tag: "Admitted" }, canary })
    const both = known("old", "new", "lost")
    assert.deepStrictEqual(decide(both, { opened: new Set(["old"]) }), {
      answer: { _tag: "Unopened", canary: canaryOf("new") },
      canary: undefined
    })
    assert.deepStrictEqual(decide(both, { opened: new Set(["old", "new"]) }), {
      answer: { _tag: "Admitted" },
      canary: undefined
    })
  })

  it("is refused if the store was used with other keys alone, which it names in order", () => {
    assert.deepStrictEqual(decide(known("b", "a")), {
      answer: { _tag: "Unknown", knownIds: ["a", "b"] },
      canary: undefined
    })
  })

  it("is refused if it lacks keys that seal what is in use, although it has others", () => {
    const used = { ...known("old"), sealedUnder: ["z", "old", "c"] }
    assert.deepStrictEqual(decide(used, { opened: new Set(["old"]) }), {
      answer: { _tag: "Missing", missingIds: ["c", "z"] },
      canary: undefined
    })
    assert.deepStrictEqual(decide({ sealedUnder: ["old"] }), { answer: { _tag: "Admitted" }, canary })
  })

  it("is refused if its active key was declared lost, and admitted if another of it was", () => {
    const opened = new Set(["old"])
    assert.deepStrictEqual(decide({ ...known("old"), lostIds: ["new"] }, { opened }), {
      answer: { _tag: "Lost", keyId: "new" },
      canary: undefined
    })
    assert.deepStrictEqual(decide({ lostIds: ["old"] }), { answer: { _tag: "Admitted" }, canary })
  })
})
