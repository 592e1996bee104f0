import { shapeOnly } from "@surety/core/CheckCharacter"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country, countryCode } from "@surety/core/input/Country"
import { ServiceId } from "@surety/core/input/ServiceId"
import { text } from "@surety/core/input/Text"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { workedMillis } from "../workedMillis.js"

describe("a string's length", () => {
  const isShort = Schema.is(text(3))

  it.each(["", "abc", "a😀b", "😀😀😀", "\ud83d\ud83d\ud83d", "a\ude00b"])(
    "is counted in code points: %j is short",
    (sent) => {
      expect(isShort(sent)).toBe(true)
      expect([...sent].length).toBeLessThanOrEqual(3)
    }
  )

  it.each(["abcd", "😀😀😀😀", "ab😀c", "😀😀😀a", "\ude00\ud83d\ude00\ud83d\ud83d"])(
    "is counted: %j is long",
    (sent) => {
      expect(isShort(sent)).toBe(false)
      expect([...sent].length).toBeGreaterThan(3)
    }
  )
})

describe("a country", () => {
  it.each([
    ["NG", "NG"],
    ["ng", "NG"],
    [" Nigeria ", "NG"],
    ["GHANA", "GH"],
    ["Côte d'Ivoire", "CI"],
    ["Cote d’Ivoire", "CI"],
    ["Ivory Coast", "CI"],
    ["United States", "US"],
    ["the United States of America", "US"],
    ["United Kingdom", "GB"],
    ["Trinidad and Tobago", "TT"],
    ["Trinidad & Tobago", "TT"],
    ["St. Lucia", "LC"],
    ["Saint Lucia", "LC"],
    ["Sao Tome and Principe", "ST"],
    ["Türkiye", "TR"],
    ["Turkey", "TR"],
    ["Democratic Republic of the Congo", "CD"],
    ["Korea, Republic of", "KR"],
    ["Viet Nam", "VN"],
    ["Eswatini", "SZ"],
    ["The Gambia", "GM"]
  ])("is understood: %s", (sent, code) => {
    expect(countryCode(sent)).toBe(code)
  })

  it.each(["", "N", "NGA", "XX", "ZZ", "UK2", "Congo Free State", "__proto__", "EU"])("is not known: %s", (sent) => {
    expect(countryCode(sent)).toBeUndefined()
  })

  it("is every code of ISO 3166-1, 249 of them, alone and by its English name", () => {
    const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    const codes = letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => countryCode(code) === code)
    expect(codes).toHaveLength(249)
    for (const code of codes) expect(countryCode(names.of(code) ?? "")).toBe(code)
  })

  it("is written back as its code", () => {
    expect(Schema.encodeSync(Country)("NG")).toBe("NG")
  })
})

describe("an e-mail address", () => {
  const isEmail = Schema.is(EmailAddress)

  it.each(["a@b.co", "ada.obi+shop@mail.example", "adá@прим.рф", "x_y-z@a-b.c-d.org"])("is %s", (address) => {
    expect(isEmail(address)).toBe(true)
  })

  it.each(["", "a", "@b.co", "a@", "a@b", "a@b.", "a@.co", "a@-b.co", "a@b-.co", "a@@b.co", "a b@c.co", "a@b.co\n"])(
    "is not %j",
    (address) => {
      expect(isEmail(address)).toBe(false)
    }
  )

  it("has at most 254 characters", () => {
    const address = (length: number) =>
      `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(length - 185)}`
    expect(isEmail(address(240))).toBe(true)
    expect(isEmail(`${"a".repeat(64)}@${address(240).slice(2)}`)).toBe(false)
  })

  it("is refused quickly, however it is made", async () => {
    const millis = await workedMillis(() => {
      isEmail(`${"a".repeat(64)}@${"a-".repeat(120)}`)
      isEmail(`a@${"b.".repeat(120)}`)
    })
    expect(millis).toBeLessThan(100)
  })
})

describe("a consumer identifier", () => {
  const decode = Schema.decodeEffect(ServiceId)

  it("is checked by the scheme in force", async () => {
    const mistyped = "SR1-K7QM-WX4T-B"
    expect((await Effect.runPromise(Effect.exit(decode(mistyped))))._tag).toBe("Failure")
    const byShape = Effect.provideService(decode(mistyped), ConsumerIdScheme, shapeOnly)
    expect(await Effect.runPromise(byShape)).toBe(mistyped)
  })
})
