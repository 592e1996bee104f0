import { type Accents, palettes, tiles } from "@surety/page-kit/look/Palette"
import { conditionStyles } from "./conditionStyles.js"
import { frameStyles } from "./frameStyles.js"
import { partStyles, tableStyles } from "./partStyles.js"

/**
 * The console's appearance. Links, primary buttons and the page background, for example, take their colours from
 * `accent` or `accentDark`. Body text, lines and state icons have fixed colours.
 */
export interface ConsoleTheme extends Accents {
  /** Base of the corner radii, such as `14px`. Panels use 72% of it, buttons and fields 43%. */
  readonly radius: string
  /** Font family from the operator's device. No font is downloaded. */
  readonly font: string
}

export const defaultConsoleTheme: ConsoleTheme = {
  accent: "#0b5d4b",
  accentDark: "#6fd3b5",
  radius: "14px",
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
}

/** Pattern of the radius and the font: one CSS property value without `url`, so it loads nothing. */
const oneValue = /^(?!.*url)[\w\s#%.,()'-]+$/iu

const tilesOf = (ground: 0 | 2, ink: 1 | 3): string =>
  tiles.map((tile, index) => `.t${index}{--tile:${tile[ground]};--tile-ink:${tile[ink]}}`).join("")

const themed = (theme: ConsoleTheme): string => {
  for (const name of ["radius", "font"] as const) {
    if (!oneValue.test(theme[name]))
      throw new Error(`The theme's ${name} is "${theme[name]}"; it must be one CSS value.`)
  }
  const { dark, light } = palettes(theme)
  const accents = (palette: typeof light) => `--accent:${palette.accent};--accent-text:${palette["accent-text"]}`
  return (
    `:root{${accents(light)};--radius:${theme.radius};--font:${theme.font};` +
    `--mono:ui-monospace,'SF Mono',Menlo,Consolas,monospace}${tilesOf(0, 1)}` +
    `@media (prefers-color-scheme:dark){:root{${accents(dark)}}${tilesOf(2, 3)}}`
  )
}

const withoutComments = (css: string): string => css.replace(/\/\*.*?\*\//gsu, "").replaceAll("\n", "")

/**
 * Builds the console's only stylesheet. Throws if an accent is not a colour or lacks contrast. Also throws if radius or
 * font is not one CSS value.
 */
export const consoleStylesheet = (theme: ConsoleTheme): string =>
  withoutComments(themed(theme) + frameStyles + partStyles + tableStyles + conditionStyles)

/** Renders the browser tab's icon in the light-mode accent colour. */
export const consoleIcon = (theme: ConsoleTheme): string => {
  const { light } = palettes(theme)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="${light.accent}"/><path d="M4 5h8M4 8h8M4 11h5" fill="none" stroke="${light["accent-text"]}" stroke-width="1.6"/></svg>`
}
