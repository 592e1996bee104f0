import { type Html, type HtmlValue, html } from "./Html.js"

/** How much of a merchant's name is shown, in characters as people count them. */
export const longestName = 80

/** A character with so many marks on it is drawn over its neighbours. */
const mostMarks = 4

/**
 * Characters that have no look of their own but change that of others: controls, bidirectional overrides and isolates,
 * zero-width spaces, tags, fillers. Joiners stay, since scripts need them.
 */
const unseen =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|[\u115f\u1160\u180e\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

const withFewMarks = (character: string): string => [...character].slice(0, 1 + mostMarks).join("")

/**
 * Text that somebody else wrote, in one line, at most so many characters long, without what could make it look like
 * something else.
 */
export const plainText = (text: string, longest: number): string => {
  const line = text.normalize("NFC").replace(/\s+/gu, " ").replace(unseen, "").trim()
  const characters = Array.from(graphemes.segment(line), ({ segment }) => segment)
  const shown = characters.slice(0, longest).map(withFewMarks).join("")
  return characters.length > longest ? `${shown.trimEnd()}…` : shown
}

/** A name kept apart from the text around it, whichever way it is written. */
export const isolated = (text: string, longest: number = longestName): Html => {
  const shown = plainText(text, longest)
  return html`<bdi>${shown === "" ? "—" : shown}</bdi>`
}

/** The host of a website's address, in the form that look-alike letters cannot hide in. */
export const websiteHost = (url: string | undefined): string | undefined => {
  const parsed = url === undefined ? null : URL.parse(url)
  return parsed === null || parsed.host === "" ? undefined : parsed.host
}

/** Several pieces with something between them. */
export const joined = (pieces: ReadonlyArray<Html>, between: HtmlValue): Html =>
  pieces.reduce((all, piece, index) => (index === 0 ? piece : html`${all}${between}${piece}`), html``)
