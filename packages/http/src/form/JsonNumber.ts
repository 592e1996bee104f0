const zero = 48

/** Without the zeros at both ends. A pattern for the last ones would try from each zero of a long row again. */
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
