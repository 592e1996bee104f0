import { shown } from "../operation/shown.js"

/**
 * Minimum length of an operator's token. Any value of at least this length may be a secret, since API keys and hook
 * secrets are even longer.
 */
const leastSecret = 16

/** Matches the name of a flag or command. Names have at most 40 characters and no digits, unlike most secrets. */
const name = /^-{0,2}[a-z][a-z_-]{0,39}$/iu

/** Matches ids, dates and times. They are not secret and are often mistyped. */
const known = /^(?:[a-z]+_[0-9a-z]{26}|\d{4}-\d\d-\d\d[\d:.TZ+-]{0,24})$/u

const counted = (text: string): string => `(${[...text].length} characters, not shown)`

/** Quotes a value on one line. Returns only the length of a value that may be a secret. */
export const typedValue = (value: string): string =>
  value.length < leastSecret || known.test(value) ? `"${shown(value)}"` : counted(value)

/** Returns a flag's or command's name, on one line. Returns only the length of a name that may be a secret. */
export const typedName = (text: string): string => {
  if (text === "") return '""'
  return text.length < leastSecret || name.test(text) ? shown(text) : counted(text)
}
