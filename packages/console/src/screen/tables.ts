import type { Page } from "@surety/core/Page"
import { type Html, html } from "@surety/page-kit/Html"
import type { PageView } from "../page/ConsolePage.js"
import type { Column, InTable } from "./columns.js"

const classes = { key: "k", num: "num", time: "time", wide: "w2", cut: "cut", brief: "w2 cut" } as const

const classOf = (kind: keyof typeof classes | undefined): Html | false =>
  kind !== undefined && html` class="${classes[kind]}"`

const isShown = <Row>(column: Column<Row>): column is Column<Row> & InTable<Row> => "cell" in column

/**
 * Renders a table whose rows become lines on a phone but keep their roles for screen readers. Omits columns that are
 * only for the CSV export.
 */
export const table = <Row>(name: string, all: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): Html => {
  const columns = all.filter(isShown)
  return html`<table role="table" class="flow" aria-label="${name}"><thead role="rowgroup"><tr role="row">${columns.map(
    ({ head, kind }) => html`<th role="columnheader" scope="col"${classOf(kind)}>${head}</th>`
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${columns.map(
        ({ cell, kind, label }) =>
          html`<td role="cell"${classOf(kind)}${label !== undefined && html` data-l="${label}"`}>${cell(row)}</td>`
      )}</tr>\n`
  )}</tbody></table>`
}

export const listLength = 25

export const sliceOf = ({ query }: PageView, limit = listLength) => ({
  limit,
  cursor: query.get("cursor") ?? undefined
})

export const pager = <Row>({ hereWith, query }: PageView, { data, nextCursor }: Page<Row>): Html => {
  const here = Object.fromEntries([...query].filter(([name]) => name !== "done" && name !== "of"))
  return html`<div class="foot"><span>${data.length === 1 ? "1 shown" : `${data.length} shown`}</span><span class="acts">${
    query.has("cursor") && html`<a href="${hereWith({ ...here, cursor: undefined })}">Newest</a>`
  }${nextCursor !== undefined && html`<a href="${hereWith({ ...here, cursor: nextCursor })}">Earlier</a>`}</span></div>`
}

export interface Filter {
  readonly name: string
  readonly label: string
  /** Labels of the choices by value. Undefined for a text or date field. */
  readonly choices?: Readonly<Record<string, string>>
  /** The initial choice, such as `OPEN`. If set, the value `ALL` selects all. Default: all. */
  readonly atFirst?: string
  readonly hint?: string
  /** True for a date field, whose value has the form `2026-11-22`. Default: false, a text field. */
  readonly isDay?: boolean
}

/** Filters for an inclusive range of days. */
export const dayFilters: ReadonlyArray<Filter> = [
  { name: "from", label: "From", isDay: true },
  { name: "to", label: "To", isDay: true }
]

/** Renders a list's filters as a GET form, so a filtered list has its own url. */
export const filters = ({ hereWith, query }: PageView, fields: ReadonlyArray<Filter>): Html => {
  const field = ({ atFirst = "", choices, hint, isDay = false, label, name }: Filter) => {
    const value = query.get(name) ?? atFirst
    return choices === undefined
      ? html`<label>${label}&nbsp;<input${isDay && html` type="date"`} name="${name}" value="${value}"${!isDay && html` maxlength="128"`}${hint !== undefined && html` placeholder="${hint}"`}></label>`
      : html`<label>${label}&nbsp;<select name="${name}"><option value="${atFirst === "" ? "" : "ALL"}">all</option>${Object.entries(
          choices
        ).map(
          ([choice, words]) => html`<option value="${choice}"${choice === value && html` selected`}>${words}</option>`
        )}</select></label>`
  }
  const isFiltered = fields.some(({ atFirst = "", name }) => (query.get(name) ?? atFirst) !== atFirst)
  return html`<form class="filters" action="${hereWith({})}">${fields.map(field)}<button>Filter</button>${isFiltered && html`<a class="btn plain" href="${hereWith({})}">Reset</a>`}</form>`
}
