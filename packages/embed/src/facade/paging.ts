import { Schema } from "effect"

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
  cursor: Schema.optionalKey(Schema.String)
}

export const paging = Schema.Struct(pagingFields)
