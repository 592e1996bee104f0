/** A double holds any 15 digits. Only numbers of at least this many characters are checked. */
export const longNumber = 16

/**
 * The most characters in which any double can be written exactly, with room for a sign and an exponent. A longer number
 * counts as one with too many digits: converting it costs more than reading it.
 */
export const longestNumber = 1_100

const zero = 48
/** Strips zeros at both ends. A pattern for the trailing ones takes quadratic time on long runs of zeros. */
const significant = (digits: string): string => {
  let start = 0
  let end = digits.length
  while (digits.charCodeAt(start) === zero) start += 1
  while (end > start && digits.charCodeAt(end - 1) === zero) end -= 1
  return digits.slice(start, end)
}

const digitsOf = (token: string): string => significant(token.replace(/[eE].*$/, "").replace(/[-.]/g, ""))

/** Whether a double holds every digit of a number. */
export const isExact = (token: string): boolean => digitsOf(token) === digitsOf(String(Number(token)))
