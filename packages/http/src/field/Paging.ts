import { Environment } from "@surety/core/Environment"
import { readPageOr } from "@surety/core/input/ListCursor"
import { largestPage, type Page } from "@surety/core/Page"
import { Schema } from "effect"
import { problemOfFaults } from "../problem/Problem.js"

/** A whole number from 1 to 100, as a decimal string: rejects `0x10`, `1e1` and ` 5`. */
const Limit = Schema.String.check(
  Schema.makeFilter((text: string) => /^[1-9]\d{0,2}$/u.test(text) && Number(text) <= largestPage, {
    expected: `a whole number from 1 to ${largestPage}`,
    code: "out_of_range"
  })
).pipe(Schema.decodeTo(Schema.NumberFromString))

/** Format of a cursor. Handlers check later whether the cursor belongs to the list, usually with `readPage`. */
const Cursor = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,512}$/u, { expected: "the nextCursor of the previous page", code: "wrong_format" })
)

/** Query parameters of a paged list (contract 13): `limit` from 1 to 100, default 20, and `cursor`. */
export const pagingQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Cursor)
}

/** Refusal of a cursor that is not valid for the list, such as one issued for another list. */
export const cursorUnknown = problemOfFaults([
  {
    place: { in: "query", name: "cursor" },
    detail: "Expected the nextCursor of the previous page.",
    code: "wrong_format"
  }
])

/** Reads a page of a list. Fails with `cursorUnknown` if the cursor was not issued for the list. */
export const readPage = readPageOr(cursorUnknown)

export const emptyPage: Page<never> = { data: [], nextCursor: undefined }

/**
 * Builds the schema of a page of a list: `{ data, nextCursor }`. Only a list of events, oldest first, may have a
 * `nextCursor` on its last page.
 */
export const pageOf = <S extends Schema.Top>(record: S) =>
  Schema.Struct({ data: Schema.Array(record), nextCursor: Schema.optionalKey(Schema.String) })

export const environmentPageOf = <S extends Schema.Top>(record: S) =>
  Schema.Struct({ environment: Environment, ...pageOf(record).fields })

export const listOf = <S extends Schema.Top>(record: S) => Schema.Struct({ data: Schema.Array(record) })

/** Like `listOf`, with the one environment of all records: `{ environment, data }`. */
export const environmentListOf = <S extends Schema.Top>(record: S) =>
  Schema.Struct({ environment: Environment, ...listOf(record).fields })

/** Encodes a page as JSON, in the form that `toPage` returns. `toJson` encodes each item. */
export const pageJson = <A>({ data, nextCursor }: Page<A>, toJson: (item: A) => string): string => {
  const next = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return `{"data":[${data.map(toJson).join(",")}]${next}}`
}
