import { readPageOr } from "@surety/core/input/ListCursor"
import { largestPage } from "@surety/core/Page"
import { Schema } from "effect"
import { InvalidInput } from "../../Outcome.js"

const limit = Schema.Int.check(
  Schema.makeFilter((count: number) => count >= 1 && count <= largestPage, {
    expected: `a whole number from 1 to ${largestPage}`,
    code: "out_of_range"
  })
)

/** Input fields of a paginated list: the page size (1 to 100, default 20) and the previous page's `nextCursor`. */
export const pagingFields = {
  limit: Schema.optionalKey(limit),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
}

/** Reads a page of a list. Fails if the cursor does not belong to the list. */
export const readHostPage = readPageOr(
  new InvalidInput({
    faults: [{ path: ["cursor"], code: "wrong_format", detail: "Expected the nextCursor of the previous page." }]
  })
)

/** Wraps a result as a page without a `nextCursor`. */
export const whole = <A>(
  data: ReadonlyArray<A>
): { readonly data: ReadonlyArray<A>; readonly nextCursor?: string } => ({
  data
})

export const paging = Schema.Struct(pagingFields)
