import { type Html, type HtmlValue, html } from "./Html.js"

/** Default maximum length of isolated text, in user-perceived characters (grapheme clusters). */
export const longestName = 80

/** Maximum number of consecutive marks shown on a character. With more marks, a character overlaps its neighbours. */
const mostMarks = 4

/** Maximum length of a character in code points. The emoji of a family of four with skin tones has 11. */
const longestCharacter = 16

/**
 * Characters to remove, because they could disguise text: controls, line separators, invisible letters and marks, lone
 * surrogates and private-use characters. Invisible format characters, such as bidirectional overrides and zero-width
 * spaces, are removed too. Of these, only the zero-width joiner and non-joiner are kept, because some scripts need
 * them.
 */
const unseen =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|[\u115f\u1160\u180e\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

const marks = /[\p{M}\u200c\u200d]+/gu

/**
 * Truncates a string to `longest` code points. Removes joiners at the cut, because they would join with the following
 * text.
 */
const cut = (text: string, longest: number): string => {
  const points = [...text]
  return points.length > longest
    ? points
        .slice(0, longest)
        .join("")
        .replace(/[\u200c\u200d]+$/u, "")
    : text
}

const withFewMarks = (character: string): string =>
  cut(
    character.replace(marks, (run) => cut(run, mostMarks)),
    longestCharacter
  )

/**
 * Converts untrusted text to a single line without characters that could disguise it. Returns at most `longest`
 * characters, followed by `…` if the text has more.
 */
export const plainText = (text: string, longest: number): string => {
  const line = text.normalize("NFC").replace(/\s+/gu, " ").replace(unseen, "").trim()
  const characters = Array.from(graphemes.segment(line), ({ segment }) => segment)
  const shown = characters.slice(0, longest).map(withFewMarks).join("")
  return characters.length > longest ? `${shown.trimEnd()}…` : shown
}

/** Builds markup that isolates text from the direction of the surrounding text. Empty text becomes a dash. */
export const isolated = (text: string, longest: number = longestName): Html => {
  const shown = plainText(text, longest)
  return html`<bdi>${shown === "" ? "—" : shown}</bdi>`
}

/**
 * Returns the host of a url in ASCII form (Punycode), which exposes look-alike letters. Includes the port unless it is
 * the default. Undefined if the url is missing, invalid or without a host.
 */
export const websiteHost = (url: string | undefined): string | undefined => {
  const parsed = url === undefined ? null : URL.parse(url)
  return parsed === null || parsed.host === "" ? undefined : parsed.host
}

export const joined = (pieces: ReadonlyArray<Html>, between: HtmlValue): Html =>
  pieces.reduce((all, piece, index) => (index === 0 ? piece : html`${all}${between}${piece}`), html``)
