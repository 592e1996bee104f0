const isoForm = /^(\d{4})-(\d{2})-(\d{2})$/u
const dayFirstForm = /^(\d{2})([/-])(\d{2})\2(\d{4})$/u

const thirtyDays = new Set([4, 6, 9, 11])

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysIn = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28
  return thirtyDays.has(month) ? 30 : 31
}

const calendarDate = (year: string, month: string, day: string): string | undefined => {
  const [monthNumber, dayNumber] = [Number(month), Number(day)]
  const isReal =
    monthNumber >= 1 && monthNumber <= 12 && dayNumber >= 1 && dayNumber <= daysIn(Number(year), monthNumber)
  return isReal ? `${year}-${month}-${day}` : undefined
}

/**
 * Parses a date of birth in the form `YYYY-MM-DD`, `DD/MM/YYYY` or `DD-MM-YYYY` (contract 8). Returns it as
 * `YYYY-MM-DD`, or `undefined` for any other text and for a date that does not exist.
 */
export const parse = (text: string): string | undefined => {
  const iso = isoForm.exec(text)
  if (iso !== null) return calendarDate(iso[1] ?? "", iso[2] ?? "", iso[3] ?? "")
  const dayFirst = dayFirstForm.exec(text)
  return dayFirst === null ? undefined : calendarDate(dayFirst[4] ?? "", dayFirst[3] ?? "", dayFirst[1] ?? "")
}
