import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { MerchantId } from "@surety/core/Ids"
import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { DateTime } from "effect"
import type { PageView } from "../page/ConsolePage.js"
import { timeIn } from "./parts.js"

export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => string | number | undefined]

export interface InTable<Row> {
  readonly head: string
  readonly cell: (row: Row) => HtmlValue
  /**
   * `key`: identifies the row. `num`: right-aligned. `time`: on one line. `wide`: hidden on narrow screens. `cut`:
   * truncated to one line, except on a phone. The record's page shows the full text. `brief`: both `cut` and `wide`.
   */
  readonly kind?: "key" | "num" | "time" | "wide" | "cut" | "brief" | undefined
  /** Label on a phone, where the header is hidden. */
  readonly label?: string
}

/**
 * A column's values in the CSV export. They must not contain a consumer's name, e-mail address, phone number or
 * identity number, or any secret.
 */
export interface InFile<Row> {
  readonly file: ReadonlyArray<CsvColumn<Row>>
}

/** A column of a table, of its CSV export, or of both. A table column outside the export states why in `notInFile`. */
export type Column<Row> = (InTable<Row> & (InFile<Row> | { readonly notInFile: string })) | InFile<Row>

/** Columns of one kind of record by name, in the order of the CSV export. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

export interface Shown {
  readonly view: PageView
  readonly names: { readonly of: (id: MerchantId) => Html }
}

/** Placeholder for tables of a single merchant and for CSV exports, which need no names. */
export const noNames: Shown["names"] = { of: () => html`` }

export type ColumnsOf<Row> = (shown: Shown) => Columns<Row>

export const fileColumns = <Row>(columns: Columns<Row>): ReadonlyArray<CsvColumn<Row>> =>
  Object.values(columns).flatMap((column) => ("file" in column ? column.file : []))

/** A record's merchant appears only as an id. */
export const fileColumnsOf = <Row>(view: PageView, columnsOf: ColumnsOf<Row>): ReadonlyArray<CsvColumn<Row>> =>
  fileColumns(columnsOf({ view, names: noNames }))

export const csvTime = (at: DateTime.Utc | undefined): string | undefined =>
  at === undefined ? undefined : DateTime.formatIso(at)

type WithTime<Name extends string> = { readonly [At in Name]?: DateTime.Utc | undefined }

/** Builds a column of a CSV export for a time. `createdAt` becomes `created_at`. */
export const timeInFile = <Name extends string>(name: Name): CsvColumn<WithTime<Name>> => [
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
  (row) => csvTime(row[name])
]

/** `label` precedes the time on a phone. */
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
