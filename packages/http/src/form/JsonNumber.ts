/**
 * Minimum length of a number's digits and point, or of its exponent, at which `isExact` checks the number. A double
 * keeps any 15 significant digits.
 */
export const longNumber = 16

/**
 * Maximum length of a number, in characters. Any number that `isExact` accepts fits, unless it is padded with zeros. A
 * longer number counts as having too many digits, because converting it costs more than reading it.
 */
export const longestNumber = 1_100

const zero = 48
/**
 * Strips zeros at both ends. A regular expression for the trailing zeros takes quadratic time on long runs of zeros.
 */
const significant = (digits: string): string => {
  let start = 0
  let end = digits.length
  while (digits.charCodeAt(start) === zero) start += 1
  while (end > start && digits.charCodeAt(end - 1) === zero) end -= 1
  return digits.slice(start, end)
}

const digitsOf = (token: string): string => significant(token.replace(/[eE].*$/, "").replace(/[-.]/g, ""))

/** Returns true if the number `token` keeps its significant digits when converted to a double and back. */
export const isExact = (token: string): boolean => digitsOf(token) === digitsOf(String(Number(token)))
