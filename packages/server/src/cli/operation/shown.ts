/** Control characters, line separators and bidirectional controls, which merchants could put into submitted text. */
const commanding = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Escapes control characters, including line breaks, so the text stays on one line. */
export const shown = (text: string): string => text.replace(commanding, escaped)

/** Escapes control characters other than line breaks, for multi-line text such as indented JSON. */
export const shownLines = (text: string): string =>
  text.replace(commanding, (character) => (character === "\n" ? character : escaped(character)))
