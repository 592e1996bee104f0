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
  /** `key`: what the row is called. `num`: to the right. `time`: one line. `wide`: left out on narrow screens. `cut`: a text of one line, of which the record has the rest; `brief`: `cut` and `wide`. */
  readonly kind?: "key" | "num" | "time" | "wide" | "cut" | "brief" | undefined
  /** The label on a phone, where the head is not shown. */
  readonly label?: string
}

/** What a file says of a record: identifiers, states and times, never names, addresses or numbers of people, or secrets. */
export interface InFile<Row> {
  readonly file: ReadonlyArray<CsvColumn<Row>>
}

/** A column of a table, of its file, or of both. What a table shows is in the file too, or the column says why not. */
export type Column<Row> = (InTable<Row> & (InFile<Row> | { readonly notInFile: string })) | InFile<Row>

/** The columns of a kind of records by name, in the order of the file. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** Where rows are shown: the page, and the names of their merchants. */
export interface Shown {
  readonly view: PageView
  readonly names: { readonly of: (id: MerchantId) => Html }
}

/** For tables of one merchant's records, and for files. */
export const noNames: Shown["names"] = { of: () => html`` }

export type ColumnsOf<Row> = (shown: Shown) => Columns<Row>

/** The columns of a record's file. They have ids in place of names. */
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
