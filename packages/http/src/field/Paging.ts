import { readPageOr } from "@surety/core/input/ListCursor"
import type { Page } from "@surety/core/Page"
import { Schema } from "effect"
import { problemOfFaults } from "../problem/Problem.js"

const largestLimit = 100

/** A whole number from 1 to 100, as a query says it. */
const Limit = Schema.NumberFromString.check(
  Schema.makeFilter((limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= largestLimit, {
    expected: `a whole number from 1 to ${largestLimit}`,
    code: "out_of_range"
  })
)

/** What `nextCursor` was, unchanged. */
const Cursor = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,512}$/u, { expected: "the nextCursor of the page before", code: "wrong_format" })
)

/** The query of every list (contract 13): `limit` from 1 to 100, default 20, and `cursor`. */
export const pagingQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Cursor)
}

/** The refusal of a cursor that the list did not give. */
export const cursorUnknown = problemOfFaults([
  {
    place: { in: "query", name: "cursor" },
    detail: "Expected the nextCursor of the page before.",
    code: "wrong_format"
  }
])

/** Reads the page that a query asks for. */
export const readPage = readPageOr(cursorUnknown)

/** The page of a list that has nothing. */
export const emptyPage: Page<never> = { data: [], nextCursor: undefined }

/** A list's answer: `{ data, nextCursor }`; the last page has no `nextCursor`. */
export const pageOf = <S extends Schema.Top>(record: S) =>
  Schema.Struct({ data: Schema.Array(record), nextCursor: Schema.optionalKey(Schema.String) })

/** A list that is short by nature and is answered whole. */
export const listOf = <S extends Schema.Top>(record: S) => Schema.Struct({ data: Schema.Array(record) })

/** The answer of a page, each item as its record. */
export const toPage = <A, B>({ data, nextCursor }: Page<A>, toRecord: (item: A) => B) => ({
  data: data.map(toRecord),
  ...(nextCursor === undefined ? {} : { nextCursor })
})

/** The same as JSON text, of records that are written as text. */
export const pageJson = <A>({ data, nextCursor }: Page<A>, toJson: (item: A) => string): string => {
  const next = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return `{"data":[${data.map(toJson).join(",")}]${next}}`
}
