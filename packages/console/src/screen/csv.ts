import type { Page, PageRequest } from "@surety/core/Page"
import { largestPage } from "@surety/core/Page"
import type { StoreError } from "@surety/core/StoreError"
import type { Html } from "@surety/page-kit/Html"
import { DateTime, Effect } from "effect"
import type { AnsweredFile, ConsolePage, ConsoleServices, PageView, RecordMissing } from "../page/ConsolePage.js"
import { button } from "./parts.js"

/** A file has at most this many records, the first of the list. Its name says so if there are more. */
export const longestCsv = 10_000

/** A list that looks through a number of records for each page is read this often at most. */
const mostReads = 500

/** One column of a file: its name and a record's value in it. */
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => string | number | undefined]

/**
 * A cell of RFC 4180. Text that a spreadsheet would take for a formula begins with an apostrophe: what merchants and
 * people write must not run on an operator's machine. A number stays one.
 */
export const csvCell = (value: string | number | undefined): string => {
  if (value === undefined) return ""
  const text = String(value)
  const isNumber = /^-?\d+(?:\.\d+)?$/u.test(text)
  const safe = !isNumber && /^[\s=+\-@|%＝＋－＠]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const utcOf = (at: DateTime.Utc): string => DateTime.formatIso(at)

/** A time in UTC; empty for none. */
export const csvTime = (at: DateTime.Utc | undefined): string | undefined => (at === undefined ? undefined : utcOf(at))

/** A page's list as a file, for those who have the role: every record that the page's filters select. */
export const csvOf = <Row>(
  role: NonNullable<ConsolePage["csv"]>["role"],
  name: string,
  columns: ReadonlyArray<CsvColumn<Row>>,
  read: (view: PageView, page: PageRequest) => Effect.Effect<Page<Row>, RecordMissing | StoreError, ConsoleServices>
): NonNullable<ConsolePage["csv"]> => ({
  role,
  rows: Effect.fnUntraced(function* (view: PageView) {
    const lines = [columns.map(([head]) => csvCell(head)).join(",")]
    let cursor: string | undefined
    let reads = 0
    do {
      const { data, nextCursor } = yield* read(view, { limit: largestPage, cursor })
      for (const row of data) lines.push(columns.map(([, value]) => csvCell(value(row))).join(","))
      cursor = nextCursor
      reads += 1
    } while (cursor !== undefined && lines.length <= longestCsv && reads < mostReads)
    const day = DateTime.formatIsoDateUtc(view.now)
    const part = cursor === undefined ? "" : `-first-${lines.length - 1}`
    const file: AnsweredFile = {
      name: `${name}-${view.environment.toLowerCase()}-${day}${part}.csv`,
      type: "text/csv",
      text: `${lines.join("\r\n")}\r\n`
    }
    return file
  })
})

/** Leads to the page's list as a file, under the filters in force. */
export const csvButton = ({ hereWith, query }: PageView): Html =>
  button(
    hereWith({ ...Object.fromEntries(query), cursor: undefined, done: undefined, of: undefined, format: "csv" }),
    "down",
    "CSV"
  )
