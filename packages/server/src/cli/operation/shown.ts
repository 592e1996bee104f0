/** Controls that a terminal obeys, and characters that turn the order of what is read. Merchants write some of the texts. */
const commanding = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text on one line of a terminal, as it is and not as it would have itself drawn. */
export const shown = (text: string): string => text.replace(commanding, escaped)

/** JSON on a terminal: the same JSON, with what a terminal would obey escaped. Its own line breaks stay. */
export const shownJson = (json: string): string =>
  json.replace(commanding, (character) => (character === "\n" ? character : escaped(character)))
