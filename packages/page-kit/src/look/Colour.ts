import { Result } from "effect"

/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number]

const form = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/iu
const shortForm = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/iu

/** Parses `#rrggbb` or `#rgb`. Fails with a message to append to the setting's name. */
export const read = (text: string): Result.Result<Colour, string> => {
  const long = text.trim().replace(shortForm, "#$1$1$2$2$3$3")
  const [, red = "", green = "", blue = ""] = form.exec(long) ?? []
  return red === ""
    ? Result.fail(`is "${text}"; it must be a colour such as #0b5d4b`)
    : Result.succeed([Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)])
}

/** Like `read`, but throws if the colour is invalid. */
export const of = (text: string): Colour => Result.getOrThrow(read(text))

export const hex = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

/** Mixes two colours in sRGB. `share` is the proportion of `one`, 0 to 1. */
export const mix = (one: Colour, other: Colour, share: number): Colour => [
  one[0] * share + other[0] * (1 - share),
  one[1] * share + other[1] * (1 - share),
  one[2] * share + other[2] * (1 - share)
]

const linear = (part: number): number => {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const luminance = ([red, green, blue]: Colour): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2, 1.4.3). */
export const contrast = (one: Colour, other: Colour): number => {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

/**
 * Mixes a colour towards another in steps of a twentieth, until its contrast ratio to each ground reaches `least`.
 * Returns `towards` if no mix does.
 */
export const legible = (colour: Colour, towards: Colour, grounds: ReadonlyArray<Colour>, least: number): Colour => {
  for (let step = 0; step < 20; step++) {
    const tried = of(hex(mix(towards, colour, step / 20)))
    if (grounds.every((ground) => contrast(tried, ground) >= least)) return tried
  }
  return towards
}
