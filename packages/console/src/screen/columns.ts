import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { MerchantId } from "@surety/core/Ids"
import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { DateTime } from "effect"
import type { PageView } from "../page/ConsolePage.js"
import { timeIn } from "./parts.js"

/** One column of a file: its name and a record's value in it. */
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => string | number | undefined]

/** What a table shows of a record. */
export interface InTable<Row> {
  readonly head: string
  readonly cell: (row: Row) => HtmlValue
  /**
   * `key`: the row's name. `num`: aligned right. `time`: one line. `wide`: hidden on narrow screens. `cut`: one line of
   * a text that the record has in full; `brief`: `cut` and `wide`.
   */
  readonly kind?: "key" | "num" | "time" | "wide" | "cut" | "brief" | undefined
  /** The label on a phone, where the header is hidden. */
  readonly label?: string
}

/**
 * The columns of a record's file: identifiers, states and times, never names, addresses or numbers of people, or
 * secrets.
 */
export interface InFile<Row> {
  readonly file: ReadonlyArray<CsvColumn<Row>>
}

/** A column of a table, of its file, or of both. A table's column is in the file too, or says why not. */
export type Column<Row> = (InTable<Row> & (InFile<Row> | { readonly notInFile: string })) | InFile<Row>

/** A kind of records' columns by name, in the order of the file. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** The context of rows: the page, and their merchants' names. */
export interface Shown {
  readonly view: PageView
  readonly names: { readonly of: (id: MerchantId) => Html }
}

/** For tables of one merchant's records, and for files. */
export const noNames: Shown["names"] = { of: () => html`` }

export type ColumnsOf<Row> = (shown: Shown) => Columns<Row>

/** The columns of a record's file, with ids in place of names. */
export const fileColumns = <Row>(columns: Columns<Row>): ReadonlyArray<CsvColumn<Row>> =>
  Object.values(columns).flatMap((column) => ("file" in column ? column.file : []))

/** The same for a page's file. */
export const fileColumnsOf = <Row>(view: PageView, columnsOf: ColumnsOf<Row>): ReadonlyArray<CsvColumn<Row>> =>
  fileColumns(columnsOf({ view, names: noNames }))

/** A time in UTC, as a file has it. */
export const csvTime = (at: DateTime.Utc | undefined): string | undefined =>
  at === undefined ? undefined : DateTime.formatIso(at)

/** A record with a time of this name, which it may not have. */
type WithTime<Name extends string> = { readonly [At in Name]?: DateTime.Utc | undefined }

/** A time as a file has it: `createdAt` is `created_at` there. */
export const timeInFile = <Name extends string>(name: Name): CsvColumn<WithTime<Name>> => [
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
  (row) => csvTime(row[name])
]

/** A time of the record in its table and its file. `label`: before it on a phone. */
export const timeColumn = <Name extends string>(
  view: Pick<PageView, "now" | "times">,
  head: string,
  name: Name,
  label?: string
): InTable<WithTime<Name>> & InFile<WithTime<Name>> => ({
  head,
  kind: "time",
  cell: (row) => row[name] !== undefined && timeIn(view, row[name]),
  ...(label === undefined ? {} : { label }),
  file: [timeInFile(name)]
})

export const merchantColumn = ({ names, view }: Shown) =>
  ({
    head: "Merchant",
    cell: ({ merchantId }) => html`<a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a>`,
    file: [["merchant_id", ({ merchantId }) => merchantId]]
  }) satisfies Column<{ readonly merchantId: MerchantId }>

export const personColumn = ({ view }: Pick<Shown, "view">) =>
  ({
    head: "Person",
    cell: ({ serviceId }) => html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`,
    file: [["service_id", ({ serviceId }) => serviceId]]
  }) satisfies Column<{ readonly serviceId: ConsumerId }>
