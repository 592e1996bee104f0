import { readPageOr } from "@surety/core/input/ListCursor"
import type { Page } from "@surety/core/Page"
import { Schema } from "effect"
import { InvalidInput } from "../Outcome.js"

const largestLimit = 100

const limit = Schema.Int.check(
  Schema.makeFilter((count: number) => count >= 1 && count <= largestLimit, {
    expected: `a whole number from 1 to ${largestLimit}`,
    code: "out_of_range"
  })
)

/** Of every list: how many at a time (1 to 100, default 20), and where the page before ended. */
export const pagingFields = {
  limit: Schema.optionalKey(limit),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
}

/** Reads a page. A cursor that the list did not give is refused. */
export const readPage = readPageOr(
  new InvalidInput({
    faults: [{ path: ["cursor"], code: "wrong_format", detail: "Expected the nextCursor of the page before." }]
  })
)

export const paging = Schema.Struct(pagingFields)

/** A page of a list, each item in its plain form. The last page has no `nextCursor`. */
export const toPage = <A, B>({ data, nextCursor }: Page<A>, toPlain: (item: A) => B) => ({
  data: data.map(toPlain),
  ...(nextCursor === undefined ? {} : { nextCursor })
})
