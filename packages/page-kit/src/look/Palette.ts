import { Result } from "effect"
import * as Colour from "./Colour.js"

/** Minimum contrast ratios of text, and of the edges and fills of controls (WCAG 2.2, 1.4.3 and 1.4.11). */
const textContrast = 4.5
const controlContrast = 3

/** A scheme's own colours. The rest of its palette is derived from these and the platform's colour. */
interface Scheme {
  readonly ink: string
  readonly soft: string
  readonly card: string
  readonly base: string
  readonly edge: string
  readonly danger: string
  readonly focus: string
  /** Proportion of the platform's colour in the palette's `tint`. */
  readonly tinted: number
}

const light: Scheme = {
  ink: "#15201d",
  soft: "#4b5753",
  card: "#ffffff",
  base: "#f7f9f8",
  edge: "#6b7672",
  danger: "#b3261e",
  focus: "#1749c9",
  tinted: 0.1
}

const dark: Scheme = {
  ink: "#edf2f0",
  soft: "#b0bbb7",
  card: "#18201e",
  base: "#0b100f",
  edge: "#84918c",
  danger: "#ffb4ab",
  focus: "#a9c1ff",
  tinted: 0.16
}

/** The platform's own colours, each `#rrggbb` or `#rgb`. */
export interface Accents {
  /** Colour in light mode, for example of buttons. */
  readonly accent: string
  /** Colour in dark mode, for example of buttons. */
  readonly accentDark: string
}

/** CSS custom properties of a scheme, by name. */
export type Palette = Readonly<Record<PaletteName, string>>

type PaletteName =
  | Exclude<keyof Scheme, "tinted">
  | "accent"
  | "accent-text"
  | "link"
  | "page"
  | "well"
  | "tint"
  | "line"
  | "no"
  | "no-text"

const white = Colour.of("#ffffff")
const black = Colour.of("#000000")

const paletteOf = ({ tinted, ...scheme }: Scheme, accent: Colour.Colour): Palette => {
  const ink = Colour.of(scheme.ink)
  const card = Colour.of(scheme.card)
  const page = Colour.of(Colour.hex(Colour.mix(accent, Colour.of(scheme.base), 0.05)))
  const tint = Colour.of(Colour.hex(Colour.mix(accent, card, tinted)))
  const well = Colour.of(Colour.hex(Colour.mix(accent, card, 0.045)))
  const onAccent = Colour.contrast(white, accent) >= textContrast ? white : black
  return {
    ...scheme,
    accent: Colour.hex(accent),
    "accent-text": Colour.hex(onAccent),
    link: Colour.hex(Colour.legible(accent, ink, [card, page, tint, well], textContrast)),
    page: Colour.hex(page),
    well: Colour.hex(well),
    tint: Colour.hex(tint),
    line: Colour.hex(Colour.mix(ink, card, 0.14)),
    no: scheme.ink,
    "no-text": scheme.card
  }
}

/**
 * Returns the fault in the platform's colour for a mode, worded to follow the setting's name. Undefined if the colour
 * has enough contrast.
 */
export const accentFault = (text: string, mode: "light" | "dark"): string | undefined => {
  const accent = Colour.read(text)
  if (Result.isFailure(accent)) return accent.failure
  const { card, ink } = mode === "light" ? light : dark
  const ground = Colour.of(card)
  const found = Colour.contrast(accent.success, ground)
  if (found >= controlContrast) return undefined
  const instead = Colour.hex(Colour.legible(accent.success, Colour.of(ink), [ground], controlContrast))
  return (
    `is "${text}", which stands out from the page (${card}) by ${found.toFixed(1)} to 1; ` +
    `buttons and boxes need ${controlContrast} to 1. ${instead} would do`
  )
}

/**
 * Returns the dark-mode colour for a platform that sets only a light-mode colour. Lightens that colour until its
 * contrast ratio to the dark scheme's `card` is at least 7.
 */
export const darkAccentOf = (accent: string): string => {
  const card = Colour.of(dark.card)
  return Colour.hex(Colour.legible(Colour.of(accent), white, [card], 7))
}

/** Builds the light and dark palettes of a theme. Throws if a colour is invalid or lacks contrast. */
export const palettes = ({ accent, accentDark }: Accents) => {
  const faults = [
    [accent, "light", "accent"],
    [accentDark, "dark", "accentDark"]
  ] as const
  for (const [colour, mode, name] of faults) {
    const fault = accentFault(colour, mode)
    if (fault !== undefined) throw new Error(`The theme's ${name} ${fault}.`)
  }
  return { light: paletteOf(light, Colour.of(accent)), dark: paletteOf(dark, Colour.of(accentDark)) }
}

/** Colours of tiles with a merchant's or operator's initials: background and text in light mode, then in dark mode. */
export const tiles = [
  ["#cfeee3", "#0a4034", "#1f4a3e", "#d6f5ea"],
  ["#d6e6ff", "#12386a", "#203e62", "#dceaff"],
  ["#fbe4c2", "#573800", "#52400f", "#ffebc9"],
  ["#ebdeff", "#44276f", "#423469", "#ede3ff"],
  ["#ffdedb", "#6c201b", "#60312d", "#ffe2df"],
  ["#e2eec8", "#36470d", "#3d4a1c", "#e9f3d1"]
] as const

const numberOf = (text: string): number =>
  [...text].reduce((sum, { length }, index) => sum + length * (text.charCodeAt(index) + index), 0)

/**
 * Returns the tile colour of an id or name, as the number in its class `t0`, `t1`, …. An id or name has the same colour
 * on every page.
 */
export const tileOf = (id: string): number => numberOf(id) % tiles.length
