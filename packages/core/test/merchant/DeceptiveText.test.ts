import { hasCheckMark, hasHiddenCharacters, namesPlatform } from "@surety/core/merchant/DeceptiveText"
import { describe, expect, it } from "vitest"

describe("Hidden characters", () => {
  it.each([
    ..."\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069",
    ..."\ufeff\u00ad\u180e\u115f\u1160\u3164\uffa0\u034f\u2028\u2029\u200c\u200d",
    ..."\u0001\u0008\u000b\u001b\u007f\u0085\u2800",
    "\u{e0041}"
  ])("%j is found wherever it stands", (character) => {
    for (const text of [`Shop${character}`, `${character}Shop`, `Sh${character}op`]) {
      expect(hasHiddenCharacters(text)).toBe(true)
    }
  })

  it.each([
    "Ada's Shop",
    "Ọjà Ìbàdàn",
    "متجر",
    "דוכן",
    "می‌خواهم",
    "क्‍ष",
    "👩‍🍳 Kitchen",
    "Ko\u0301kó",
    "A – B",
    "A\tB\r\nC",
    ""
  ])("%j is as it looks", (text) => {
    expect(hasHiddenCharacters(text)).toBe(false)
  })
})

it("finds every check mark, and no other sign", () => {
  for (const mark of ["✓", "✔", "☑", "✅", "✔️", "☑️", "🗸", "🗹"]) expect(hasCheckMark(`Shop ${mark}`)).toBe(true)
  for (const name of ["Shop", "Vee & Vee", "Shop ★", "√2 Books", "Shop ☕"]) expect(hasCheckMark(name)).toBe(false)
})

describe("The platform's name", () => {
  it.each([
    "Surety",
    "surety",
    "SURETY Support",
    "The Surety",
    "Surety's Shop",
    "S u r e t y",
    "Ѕurеtу",
    "Suréty",
    "5urety",
    "Ｓｕｒｅｔｙ"
  ])("is seen in %j", (name) => {
    expect(namesPlatform(name, "Surety")).toBe(true)
  })

  it.each(["Ada's Shop", "Suretyship Books", "Assurety", "Sure"])("is not in %j", (name) => {
    expect(namesPlatform(name, "Surety")).toBe(false)
  })

  it("may have several words", () => {
    expect(namesPlatform("Naira Pay Help", "Naira Pay")).toBe(true)
    expect(namesPlatform("NairaPay", "Naira Pay")).toBe(true)
    expect(namesPlatform("Naira Books", "Naira Pay")).toBe(false)
    expect(namesPlatform("Anything", " ")).toBe(false)
  })
})
