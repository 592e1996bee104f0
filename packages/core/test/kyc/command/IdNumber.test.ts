import { assert, describe, it } from "@effect/vitest"
import * as IdNumber from "@surety/core/kyc/command/IdNumber"
import {
  type VerificationKind,
  VerificationKind as VerificationKinds
} from "@surety/core/kyc/verification/Verification"
import { Redacted, Schema } from "effect"

const read = (kind: VerificationKind, text: string) => IdNumber.read(kind, Redacted.make(text))
const textOf = (kind: VerificationKind, text: string) => Redacted.value(read(kind, text).text)

const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const elevenDigits = matching(/^[0-9]{11}$/u)
const virtualNin = matching(/^[A-Za-z]{2}[0-9]{12}[A-Za-z]{2}$/u)
const subscriber = matching(/^[0-9]{10}$/u)

/** From here to `isForm`: the rules for a number's form, reimplemented independently of the code under test. */
const isDigits = (text: string, length: number) =>
  text.length === length && [...text].every((character) => "0123456789".includes(character))
const isPhone = (text: string) => {
  const international = text.startsWith("+") ? text.slice(1) : text
  return international.startsWith("234")
    ? isDigits(international.slice(3), 10)
    : text.startsWith("0") && isDigits(text, 11)
}
const isLetters = (text: string) => text.length === 2 && [...text.toLowerCase()].every((c) => c >= "a" && c <= "z")
const isVirtualNin = (text: string) =>
  text.length === 16 && isLetters(text.slice(0, 2)) && isDigits(text.slice(2, 14), 12) && isLetters(text.slice(14))
const isForm: Readonly<Record<VerificationKind, (text: string) => boolean>> = {
  bvn: (text) => isDigits(text, 11),
  nin: (text) => isDigits(text, 11),
  vnin: isVirtualNin,
  phone: isPhone,
  nin_phone: isPhone
}

describe("Identity numbers", () => {
  it.prop("of eleven digits are a BVN and a NIN, kept as they are", { digits: elevenDigits }, ({ digits }) => {
    for (const kind of ["bvn", "nin"] as const) {
      assert.isTrue(read(kind, digits).isWellFormed)
      assert.strictEqual(textOf(kind, digits), digits)
      assert.strictEqual(read(kind, digits).last4, digits.slice(7))
    }
  })

  it.prop(
    "of 2 letters, 12 digits and 2 letters are a virtual NIN in any letter case",
    { id: virtualNin },
    ({ id }) => {
      assert.isTrue(read("vnin", id).isWellFormed)
      assert.strictEqual(textOf("vnin", id), id.toUpperCase())
      assert.strictEqual(textOf("vnin", id.toLowerCase()), textOf("vnin", id))
    }
  )

  it.prop(
    "that are phones name the same phone with 0, with +234 and with 234",
    { digits: subscriber },
    ({ digits }) => {
      for (const kind of ["phone", "nin_phone"] as const) {
        assert.isTrue(read(kind, `0${digits}`).isWellFormed)
        assert.isTrue(read(kind, `+234${digits}`).isWellFormed)
        assert.strictEqual(textOf(kind, `+234${digits}`), `0${digits}`)
        assert.strictEqual(textOf(kind, `234${digits}`), `0${digits}`)
        assert.isTrue(read(kind, `234${digits}`).isWellFormed)
        assert.isFalse(read(kind, digits).isWellFormed)
        assert.isFalse(read(kind, `+0${digits}`).isWellFormed)
      }
    }
  )

  it.prop(
    "are of a kind's form exactly when they are written so, and are kept as sent if not, but for spaces and hyphens",
    { kind: VerificationKinds, text: Schema.String },
    ({ kind, text }) => {
      const number = read(kind, text)
      const bare = text.replaceAll(/[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|\p{Pd}/gu, "")
      assert.strictEqual(number.isWellFormed, isForm[kind](bare))
      if (!number.isWellFormed) assert.strictEqual(Redacted.value(number.text), bare)
    }
  )

  it.prop(
    "lose their form with one character more, less, or of another sort",
    { digits: elevenDigits, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })) },
    ({ at, digits }) => {
      const changed = (replacement: string) => digits.slice(0, at) + replacement + digits.slice(at + 1)
      for (const broken of [
        changed(""),
        changed("12"),
        changed("O"),
        changed(" "),
        changed("-"),
        changed("١"),
        `${digits}\n`
      ]) {
        assert.isFalse(read("bvn", broken).isWellFormed, JSON.stringify(broken))
      }
    }
  )

  it.prop(
    "are the same however they are grouped by spaces and hyphens",
    { digits: subscriber, id: virtualNin, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })) },
    ({ at, digits, id }) => {
      for (const separator of [" ", "-", " - ", "\u00a0", "\u2011", "\u2013"]) {
        const grouped = (text: string) => `${separator}${text.slice(0, at)}${separator}${text.slice(at)}${separator}`
        assert.deepStrictEqual(read("bvn", grouped(`1${digits}`)), read("bvn", `1${digits}`))
        assert.deepStrictEqual(read("vnin", grouped(id)), read("vnin", id))
        for (const phone of [`0${digits}`, `+234${digits}`, `234${digits}`]) {
          assert.strictEqual(textOf("phone", grouped(phone)), `0${digits}`)
          assert.strictEqual(read("phone", grouped(phone)).last4, digits.slice(6))
        }
      }
    }
  )

  it("are no longer of their form with a character before or after", () => {
    for (const [kind, id] of [
      ["bvn", "22222222222"],
      ["vnin", "KO111111111111IL"],
      ["phone", "08012345678"],
      ["phone", "+2348012345678"]
    ] as const) {
      assert.isTrue(read(kind, id).isWellFormed)
      for (const other of [`${id}1`, `${id}x`, `1${id}`, `x${id}`]) {
        assert.isFalse(read(kind, other).isWellFormed, `${kind} ${other}`)
      }
    }
  })

  it("show their last four characters, none of them cut in two", () => {
    assert.strictEqual(read("bvn", "not a 😀bvn").last4, "😀bvn")
    assert.strictEqual(read("vnin", "ko111111111111il").last4, "11IL")
  })

  it("of two kinds have nothing in common if their digits are equal", () => {
    const of = (kind: VerificationKind) => Redacted.value(IdNumber.identityText(read(kind, "22222222222")))
    assert.notStrictEqual(of("bvn"), of("nin"))
    assert.strictEqual(Redacted.value(IdNumber.identityText(read("phone", "+2348000000000"))), "phone:08000000000")
  })

  it("do not show in text", () => {
    const number = read("bvn", "22222222222")
    assert.notInclude(JSON.stringify(number), "22222222222")
    assert.strictEqual(String(number.text), "<redacted:identity number>")
  })
})
