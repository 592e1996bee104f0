/** Terminal controls and bidirectional overrides, which merchants could put into their texts. */
const commanding = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text on one line, with the controls escaped. */
export const shown = (text: string): string => text.replace(commanding, escaped)

/** The same JSON with controls escaped, apart from its own line breaks. */
export const shownJson = (json: string): string =>
  json.replace(commanding, (character) => (character === "\n" ? character : escaped(character)))
