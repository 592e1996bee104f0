import { type Html, html } from "@surety/page-kit/Html"

export interface Day {
  readonly good: number
  readonly bad: number
}

const width = 108
const height = 32
const most = 30
/** Minimum height of a column. An empty day is a line at the bottom, so the week looks complete. */
const least = 1.5
/** Failures below this share of a day's total are not drawn. */
const shownFrom = 0.024

const rounded = (value: number): string => String(Math.round(value * 10) / 10)

/**
 * Draws each day as a column, with failures in red at its bottom. The last column is today's, in the colour of links.
 * The label states the numbers.
 */
export const dayChart = (days: ReadonlyArray<Day>): Html => {
  const highest = Math.max(1, ...days.map(({ bad, good }) => good + bad))
  const step = width / Math.max(1, days.length)
  const column = ({ bad, good }: Day, index: number) => {
    const all = Math.max(least, (most * (good + bad)) / highest)
    const red = good + bad > 0 && bad / (good + bad) >= shownFrom ? Math.max(2, (most * bad) / highest) : 0
    const x = rounded(index * step + 1.5)
    const kind = index === days.length - 1 ? "c2" : "c1"
    return html`<rect class="${kind}" x="${x}" y="${rounded(height - all)}" width="12.4" height="${rounded(all)}" rx="1.5"/>${
      red > 0 &&
      html`<rect class="c3" x="${x}" y="${rounded(height - red)}" width="12.4" height="${rounded(red)}" rx="1"/>`
    }`
  }
  const label = days.map(({ bad, good }) => (bad === 0 ? String(good) : `${good} and ${bad} not`)).join(", ")
  return html`<svg class="chart" viewBox="0 0 108 32" role="img" aria-label="The last seven days: ${label}; the last is today so far">${days.map(column)}</svg>`
}

/** Draws the first two of `parts` in one bar, as shares of the sum of all `parts`. */
export const meter = (label: string, parts: ReadonlyArray<number>): Html => {
  const sum = Math.max(
    1,
    parts.reduce((all, part) => all + part, 0)
  )
  let from = 0
  const bars = parts.slice(0, 2).map((part, index) => {
    const x = from
    from += (200 * part) / sum
    return html`<rect class="${index === 0 ? "c2" : "c1"}" x="${rounded(x)}" y="0" width="${rounded((200 * part) / sum)}" height="10"/>`
  })
  return html`<svg class="meter" viewBox="0 0 200 10" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>`
}
