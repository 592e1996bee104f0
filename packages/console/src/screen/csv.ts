import type { Page, PageRequest } from "@surety/core/Page"
import { largestPage } from "@surety/core/Page"
import { type Html, html } from "@surety/page-kit/Html"
import { DateTime, Effect } from "effect"
import type { AnsweredFile, ConsoleServices, CsvTable, PageFailure, PageView } from "../page/ConsolePage.js"
import { type ColumnsOf, type CsvColumn, fileColumnsOf } from "./columns.js"
import { button } from "./parts.js"

/** Number of records after which an export of `csvOf` or `csvOfAll` ends. If more exist, the file name says so. */
export const longestCsv = 10_000

/** Maximum pages read for one CSV export, since a filtered list may have few records per page. */
const mostReads = 500

/** Matches the start of a formula after a semicolon or tab, where some spreadsheets split a cell. */
const formulaInside = /(?<=[;\t]\s*)(?=[=+\-@|%＝＋－＠])/gu

/**
 * Formats a cell as in RFC 4180. Puts an apostrophe before any formula in a string, so input from merchants and people
 * cannot run on an operator's machine. Numbers stay unchanged.
 */
export const csvCell = (value: string | number | undefined): string => {
  if (value === undefined) return ""
  const text = String(value)
  const isNumber = /^-?\d+(?:\.\d+)?$/u.test(text)
  const inside = text.replace(formulaInside, "'")
  const safe = !isNumber && /^[\s=+\-@|%＝＋－＠]/u.test(text) ? `'${inside}` : inside
  return /[",;\t\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

interface CsvShape<Row> {
  readonly name: string
  readonly columns: ReadonlyArray<CsvColumn<Row>>
}

/**
 * Formats records as a CSV file. The file name contains the environment, if one is given. If more records may exist,
 * it also contains `-first-N`, where N is the number of records in the file.
 */
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

/**
 * Builds a CSV export of the list that `read` returns page by page, for operators with the role. Reads no further page
 * after `longestCsv` records or `mostReads` pages.
 */
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

/** The first records of a list. `hasMore` is true if more may exist. */
export interface FirstRows<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly hasMore: boolean
}

export const csvOfFirst = <Row>(
  role: CsvTable["role"],
  name: string,
  columns: ColumnsOf<Row>,
  read: (view: PageView) => Effect.Effect<FirstRows<Row>, PageFailure, ConsoleServices>
): CsvTable => ({
  role,
  rows: (view) =>
    Effect.map(read(view), ({ hasMore, rows }) =>
      csvFile(view, { name, columns: fileColumnsOf(view, columns) }, rows, hasMore)
    )
})

/** Exports at most `longestCsv` records. */
export const csvOfAll = <Row>(
  role: CsvTable["role"],
  name: string,
  columns: ColumnsOf<Row>,
  read: (view: PageView) => Effect.Effect<ReadonlyArray<Row>, PageFailure, ConsoleServices>
): CsvTable =>
  csvOfFirst(role, name, columns, (view) =>
    Effect.map(read(view), (rows) => ({ rows: rows.slice(0, longestCsv), hasMore: rows.length > longestCsv }))
  )

export const csvButton = ({ hereWith, query }: PageView): Html =>
  button(
    hereWith({ ...Object.fromEntries(query), cursor: undefined, done: undefined, of: undefined, format: "csv" }),
    "down",
    "CSV"
  )

export const csvLinkTo = (href: string, what: string): Html =>
  html`<a class="csv" href="${href}" aria-label="CSV: ${what}">CSV</a>`

export const csvLink = ({ hereWith }: PageView, table: string, what: string): Html =>
  csvLinkTo(hereWith({ format: "csv", table }), what)
