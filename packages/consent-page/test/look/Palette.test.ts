import { assert, describe, it } from "@effect/vitest"
import { defaultTheme } from "@surety/consent-page/ConsentPageSettings"
import { readHome, readLogo } from "@surety/consent-page/look/LogoFile"
import { stylesheet } from "@surety/consent-page/look/stylesheet"
import * as Colour from "@surety/page-kit/look/Colour"
import { accentFault, darkAccentOf, type Palette, palettes, tiles } from "@surety/page-kit/look/Palette"
import { Result } from "effect"

const between = (one: string, other: string): number => Colour.contrast(Colour.of(one), Colour.of(other))

/** Returns named pairs of text and background colours that must be readable. */
const textOn = (palette: Palette): ReadonlyArray<readonly [string, string, string]> => [
  ...(["card", "page", "well", "tint"] as const).flatMap((ground) =>
    (["ink", "soft", "link"] as const).map((text) => [`${text} on ${ground}`, palette[text], palette[ground]] as const)
  ),
  ["accent-text on accent", palette["accent-text"], palette.accent],
  ["no-text on no", palette["no-text"], palette.no],
  ["danger on card", palette.danger, palette.card],
  ["danger on page", palette.danger, palette.page]
]

const controlOn = (palette: Palette): ReadonlyArray<readonly [string, string, string]> => [
  ["edge on card", palette.edge, palette.card],
  ["edge on tint", palette.edge, palette.tint],
  ["accent on card", palette.accent, palette.card],
  ["focus on card", palette.focus, palette.card],
  ["focus on page", palette.focus, palette.page]
]

const brands = [
  "#0b5d4b",
  "#000000",
  "#5b21b6",
  "#c2410c",
  "#e11d48",
  "#1d4ed8",
  "#b45309",
  "#00838f",
  "#ff0000",
  "#7a7a7a"
]

describe("A platform's colour", () => {
  it.each(brands)("gives readable text and visible controls in both schemes: %s", (accent) => {
    const { dark, light } = palettes({ accent, accentDark: darkAccentOf(accent) })
    for (const [scheme, palette] of Object.entries({ light, dark })) {
      for (const [pair, one, other] of textOn(palette)) assert.isAtLeast(between(one, other), 4.5, `${scheme}: ${pair}`)
      for (const [pair, one, other] of controlOn(palette))
        assert.isAtLeast(between(one, other), 3, `${scheme}: ${pair}`)
    }
  })

  it("is refused if buttons would not stand out, with one that would do", () => {
    assert.match(
      accentFault("#ffcc00", "light") ?? "",
      /stands out from the page \(#ffffff\) by 1\.5 to 1.*#[0-9a-f]{6} would do/u
    )
    const [, instead = ""] = /(#[0-9a-f]{6}) would do/u.exec(accentFault("#ffcc00", "light") ?? "") ?? []
    assert.isUndefined(accentFault(instead, "light"))
    assert.isUndefined(accentFault("#ffcc00", "dark"))
    assert.isDefined(accentFault("#0b1f1a", "dark"))
    for (const text of ["green", "#12", "url(x)", "#12345g", ""]) {
      assert.match(accentFault(text, "light") ?? "", /must be a colour such as/u)
    }
    assert.throws(() => stylesheet({ ...defaultTheme, accent: "#ffcc00" }), "stands out")
    assert.throws(() => stylesheet({ ...defaultTheme, radius: "1px;}*{color:red" }), "one CSS value")
  })

  it("measures contrast as WCAG does", () => {
    assert.strictEqual(between("#000", "#fff"), 21)
    assert.closeTo(between("#777777", "#ffffff"), 4.48, 0.005)
  })

  it("is never a merchant's: tiles are readable in themselves", () => {
    for (const [ground, ink, darkGround, darkInk] of tiles) {
      assert.isAtLeast(between(ground, ink), 7)
      assert.isAtLeast(between(darkGround, darkInk), 7)
    }
  })
})

const bytes = (text: string) => new TextEncoder().encode(text)
const typeOf = (logo: Uint8Array) => Result.map(readLogo(logo), ({ contentType }) => contentType)

describe("A logo", () => {
  it("is an image by its content, small enough for the page", () => {
    assert.deepStrictEqual(
      typeOf(bytes('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"/>')),
      Result.succeed("image/svg+xml")
    )
    assert.deepStrictEqual(
      typeOf(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)),
      Result.succeed("image/png")
    )
    assert.deepStrictEqual(typeOf(bytes("RIFF1234WEBPVP8 ")), Result.succeed("image/webp"))
    for (const other of ["<html><svg/></html>", "GIF89a", ""])
      assert.isTrue(Result.isFailure(typeOf(bytes(other))), other)
    assert.isTrue(Result.isFailure(typeOf(bytes(`<svg>${"x".repeat(8192)}</svg>`))))
  })
})

describe("The way back to the platform", () => {
  it("is a site or an app, and nothing that a browser runs", () => {
    for (const url of ["https://wallet.example/", "http://wallet.example/", "nairapay://home"]) {
      assert.deepStrictEqual(readHome(url), Result.succeed(url))
    }
    for (const url of [
      "javascript://%0aalert(1)",
      "data:text/html,x",
      "/home",
      "mailto:a@b.example",
      "https://a:b@c.example",
      " JavaScript://x"
    ]) {
      assert.isTrue(Result.isFailure(readHome(url)), url)
    }
  })
})
