import type { Page, PageRequest } from "@surety/core/Page"
import { largestPage } from "@surety/core/Page"
import { type Html, html } from "@surety/page-kit/Html"
import { DateTime, Effect } from "effect"
import type { AnsweredFile, ConsoleServices, CsvTable, PageFailure, PageView } from "../page/ConsolePage.js"
import { type ColumnsOf, type CsvColumn, fileColumnsOf } from "./columns.js"
import { button } from "./parts.js"

/** A file has at most this many records, from the start of the list. Its name says so if there are more. */
export const longestCsv = 10_000

/** How often a list that filters its pages is read at most. */
const mostReads = 500

/** Spreadsheets of some countries split lines at semicolons or tabs, so a cell after one may be a formula too. */
const formulaInside = /(?<=[;\t]\s*)(?=[=+\-@|%＝＋－＠])/gu

/**
 * A cell of RFC 4180. Text that a spreadsheet would take for a formula begins with an apostrophe: what merchants and
 * people write must not run on an operator's machine. A number stays one.
 */
export const csvCell = (value: string | number | undefined): string => {
  if (value === undefined) return ""
  const text = String(value)
  const isNumber = /^-?\d+(?:\.\d+)?$/u.test(text)
  const inside = text.replace(formulaInside, "'")
  const safe = !isNumber && /^[\s=+\-@|%＝＋－＠]/u.test(text) ? `'${inside}` : inside
  return /[",;\t\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What a file says of each record. */
interface CsvShape<Row> {
  readonly name: string
  readonly columns: ReadonlyArray<CsvColumn<Row>>
}

/** Records as a file. Its name says if there were more, and which environment they are of if they are of one. */
export const csvFile = <Row>(
  { environment, now }: Pick<PageView, "now"> & Partial<Pick<PageView, "environment">>,
  { columns, name }: CsvShape<Row>,
  rows: ReadonlyArray<Row>,
  hasMore: boolean
): AnsweredFile => {
  const lines = [
    columns.map(([head]) => csvCell(head)),
    ...rows.map((row) => columns.map(([, of]) => csvCell(of(row))))
  ]
  const part = hasMore ? `-first-${rows.length}` : ""
  return {
    name: `${environment === undefined ? name : `${name}-${environment.toLowerCase()}`}-${DateTime.formatIsoDateUtc(now)}${part}.csv`,
    type: "text/csv",
    text: lines.map((line) => `${line.join(",")}\r\n`).join("")
  }
}

/** A list as a file, for those who have the role: every record that the page's filters select. */
export const csvOf = <Row>(
  role: CsvTable["role"],
  name: string,
  columns: ColumnsOf<Row>,
  read: (view: PageView, page: PageRequest) => Effect.Effect<Page<Row>, PageFailure, ConsoleServices>
): CsvTable => ({
  role,
  rows: Effect.fnUntraced(function* (view: PageView) {
    const rows: Array<Row> = []
    let cursor: string | undefined
    let reads = 0
    do {
      const { data, nextCursor } = yield* read(view, { limit: largestPage, cursor })
      rows.push(...data)
      cursor = nextCursor
      reads += 1
    } while (cursor !== undefined && rows.length < longestCsv && reads < mostReads)
    return csvFile(view, { name, columns: fileColumnsOf(view, columns) }, rows, cursor !== undefined)
  })
})

/**
 * A record's table as a file, for those who have the role. The records are read at once: one more than `atMost`, if
 * there are that many.
 */
export const csvOfAll = <Row>(
  role: CsvTable["role"],
  name: string,
  columns: ColumnsOf<Row>,
  read: (view: PageView) => Effect.Effect<ReadonlyArray<Row>, PageFailure, ConsoleServices>,
  atMost = longestCsv
): CsvTable => ({
  role,
  rows: (view) =>
    Effect.map(read(view), (rows) =>
      csvFile(view, { name, columns: fileColumnsOf(view, columns) }, rows.slice(0, atMost), rows.length > atMost)
    )
})

/** A link to the page's list as a file, under the filters in force. */
export const csvButton = ({ hereWith, query }: PageView): Html =>
  button(
    hereWith({ ...Object.fromEntries(query), cursor: undefined, done: undefined, of: undefined, format: "csv" }),
    "down",
    "CSV"
  )

/** A link to a table as a file, from its panel. `what` begins the link's name for screen readers. */
export const csvLinkTo = (href: string, what: string): Html =>
  html`<a class="csv" href="${href}" aria-label="CSV: ${what}">CSV</a>`

/** A link to one of the page's `tables` as a file. */
export const csvLink = ({ hereWith }: PageView, table: string, what: string): Html =>
  csvLinkTo(hereWith({ format: "csv", table }), what)
