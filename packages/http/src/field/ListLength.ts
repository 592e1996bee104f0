import { Schema } from "effect"
import { longestList } from "../form/Surplus.js"

const items = (count: number): string => (count === 1 ? "1 item" : `${count} items`)

/** A list has at least so many items. */
export const atLeastItems = (count: number) =>
  Schema.isMinLength(count, { expected: `a list of at least ${items(count)}`, code: "too_short" })

/** A list has at most so many items. No list of a request may have more than `longestList`. */
export const atMostItems = (count: number) => {
  if (count > longestList) throw new Error(`Raise longestList for a list of ${count} items`)
  return Schema.isMaxLength(count, { expected: `a list of at most ${items(count)}`, code: "too_long" })
}
