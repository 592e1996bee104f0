import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycValidation } from "@surety/core/kyc/provider/KycProvider"
import { sandbox } from "@surety/core/kyc/provider/SandboxKycProvider"
import * as SandboxPerson from "@surety/core/kyc/provider/SandboxPerson"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as FixedRandom from "../../FixedRandom.js"

const submit = Effect.fnUntraced(
  function* (kind: VerificationKind, id: string, validation: KycValidation = {}) {
    const reference = yield* VerificationId.next
    const outcome = yield* sandbox.submit({ reference, kind, id: Redacted.make(id), validation })
    return { reference, outcome, providerReference: outcome.providerReference }
  },
  Effect.provide(FixedRandom.layer(7, 13))
)

const wordOf = (outcome: KycOutcome): string => ("reason" in outcome ? outcome.reason : outcome._tag)

const values: ReadonlyArray<readonly [VerificationKind, string, string]> = [
  ["bvn", "22222222222", "Verified"],
  ["bvn", "33333333333", "Pending"],
  ["bvn", "44444444444", "provider_error"],
  ["bvn", "00000000000", "id_not_found"],
  ["bvn", "55555555555", "id_not_found"],
  ["nin", "55555555555", "Verified"],
  ["nin", "33333333333", "Pending"],
  ["nin", "44444444444", "provider_error"],
  ["nin", "00000000000", "id_not_found"],
  ["nin", "22222222222", "id_not_found"],
  ["vnin", "KO111111111111IL", "Verified"],
  ["vnin", "KO000000000000II", "id_not_found"],
  ["phone", "08000000000", "Verified"],
  ["phone", "08000000001", "id_not_found"],
  ["phone", "08000000003", "Pending"],
  ["phone", "08000000004", "provider_error"],
  ["nin_phone", "08000000000", "Verified"],
  ["nin_phone", "08000000001", "id_not_found"],
  ["nin_phone", "08000000003", "Pending"],
  ["nin_phone", "08000000004", "provider_error"],
  ["phone", "08012345678", "id_not_found"],
  ["vnin", "KO333333333333II", "Pending"]
]

/** Outcomes after 5 seconds of `PENDING`. */
const late: ReadonlyArray<readonly [VerificationKind, string, string]> = [
  ["bvn", "33333333333", "Verified"],
  ["nin", "33333333333", "Verified"],
  ["vnin", "KO333333333333II", "Verified"],
  ["phone", "08000000003", "Verified"],
  ["nin_phone", "08000000003", "Verified"],
  ["bvn", "33333333330", "id_not_found"],
  ["nin", "33333333330", "id_not_found"],
  ["phone", "08000000030", "id_not_found"],
  ["nin_phone", "08000000030", "id_not_found"],
  ["bvn", "33333333335", "provider_error"],
  ["nin", "33333333335", "provider_error"],
  ["phone", "08000000035", "provider_error"],
  ["nin_phone", "08000000035", "provider_error"]
]

describe("The sandbox", () => {
  for (const [kind, id, word] of values) {
    it.effect(`answers ${kind} ${id} with ${word}, the same whenever it is asked`, () =>
      Effect.gen(function* () {
        const { outcome, providerReference, reference } = yield* submit(kind, id)
        assert.strictEqual(wordOf(outcome), word)
        const found = yield* sandbox.lookup({ reference, kind: "bvn" as const, providerReference })
        assert.deepStrictEqual(found, Option.some(outcome))
        assert.notInclude(providerReference, id, "the reference does not give the number away")
      })
    )
  }

  for (const [kind, id, word] of late) {
    it.effect(`answers ${kind} ${id} with Pending, and after 5 seconds with ${word}`, () =>
      Effect.gen(function* () {
        const { outcome, providerReference, reference } = yield* submit(kind, id)
        const wordNow = Effect.map(sandbox.lookup({ reference, kind: "bvn" as const, providerReference }), (found) =>
          wordOf(Option.getOrThrow(found))
        )
        assert.strictEqual(wordOf(outcome), "Pending")
        yield* TestClock.adjust("4999 millis")
        assert.strictEqual(yield* wordNow, "Pending")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* wordNow, word)
        assert.notInclude(providerReference, id)
      })
    )
  }

  it.effect("verifies a late one when 5 seconds have passed, with what was compared at first", () =>
    Effect.gen(function* () {
      const validation = { firstName: Redacted.make("Ada"), lastName: Redacted.make("Bello") }
      const { providerReference, reference } = yield* submit("bvn", "33333333333", validation)
      yield* TestClock.adjust("4999 millis")
      const early = Option.getOrThrow(yield* sandbox.lookup({ reference, kind: "bvn" as const, providerReference }))
      assert.strictEqual(early._tag, "Pending")
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        yield* sandbox.lookup({ reference, kind: "bvn" as const, providerReference }),
        Option.some({
          _tag: "Verified" as const,
          providerReference: providerReference ?? "",
          checks: {
            first_name: "MATCH" as const,
            last_name: "NO_MATCH" as const,
            date_of_birth: "NOT_CHECKED" as const,
            selfie: "NOT_CHECKED" as const
          }
        })
      )
    })
  )

  it.effect("does not know what it has not answered", () =>
    Effect.gen(function* () {
      const { reference } = yield* submit("bvn", "22222222222")
      assert.deepStrictEqual(
        yield* sandbox.lookup({ reference, kind: "bvn" as const, providerReference: undefined }),
        Option.none()
      )
      for (const providerReference of ["VR-1", "sandbox_VMMMM_short", "sandbox_QMMMM_00000000000000000000000000"]) {
        assert.deepStrictEqual(
          yield* sandbox.lookup({ reference, kind: "bvn" as const, providerReference }),
          Option.none()
        )
      }
    })
  )
})

describe("The sandbox's person", () => {
  const firstName = (text: string) => SandboxPerson.compare({ firstName: Redacted.make(text) }).first_name
  const lastName = (text: string) => SandboxPerson.compare({ lastName: Redacted.make(text) }).last_name
  const birthday = (text: string) => SandboxPerson.compare({ dateOfBirth: Redacted.make(text) }).date_of_birth

  it("is Ada Obi, in any letter case, accents and spaces", () => {
    for (const text of ["Ada", "ADA", " ada ", "Àdá", "Ada."]) assert.strictEqual(firstName(text), "MATCH", text)
    for (const text of ["Obi", "OBÍ", "Ọbị"]) assert.strictEqual(lastName(text), "MATCH", text)
  })

  it("matches in part when the name stands among others, or in the other name's place", () => {
    for (const text of ["Ada Maria", "Maria-Ada", "Obi", "Ada Obi"])
      assert.strictEqual(firstName(text), "PARTIAL", text)
    for (const text of ["Obi-Bello", "Ada", "Obi Ada"]) assert.strictEqual(lastName(text), "PARTIAL", text)
  })

  it("does not match another person", () => {
    for (const text of ["Adaobi", "Bola", "A", "Аda"]) assert.strictEqual(firstName(text), "NO_MATCH", text)
    assert.strictEqual(lastName("Obiora"), "NO_MATCH")
  })

  it("was born on 1990-01-01; the year alone matches in part", () => {
    for (const text of ["1990-01-01", "01/01/1990", "01-01-1990"]) assert.strictEqual(birthday(text), "MATCH", text)
    for (const text of ["1990-01-02", "31/12/1990"]) assert.strictEqual(birthday(text), "PARTIAL", text)
    for (const text of ["1991-01-01", "01-01-1991"]) assert.strictEqual(birthday(text), "NO_MATCH", text)
    for (const text of ["1990", "yesterday", "01-01-90", "1990/01/01", "1990-02-30"]) {
      assert.strictEqual(birthday(text), "NOT_CHECKED", text)
    }
  })

  it("is not compared with what was not sent, or is empty", () => {
    const nothing = {
      ...{ first_name: "NOT_CHECKED", last_name: "NOT_CHECKED" },
      ...{ date_of_birth: "NOT_CHECKED", selfie: "NOT_CHECKED" }
    }
    assert.deepStrictEqual({ ...SandboxPerson.compare({}) }, nothing)
    const empty = Redacted.make("")
    const blank = { firstName: empty, lastName: empty, dateOfBirth: empty, selfie: empty }
    assert.deepStrictEqual({ ...SandboxPerson.compare(blank) }, nothing)
  })

  it("looks like any image; nothing else is compared", () => {
    const selfie = (text: string) => SandboxPerson.compare({ selfie: Redacted.make(text) }).selfie
    assert.strictEqual(selfie("/9j/4AAQSkZJRgABAQ=="), "MATCH")
    assert.strictEqual(selfie("aGVsbG8gd29ybGQ="), "NOT_CHECKED")
  })
})
