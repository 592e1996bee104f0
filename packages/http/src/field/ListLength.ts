import { Schema } from "effect"

const items = (count: number): string => (count === 1 ? "1 item" : `${count} items`)

/** A list has at least so many items. */
export const atLeastItems = (count: number) =>
  Schema.isMinLength(count, { expected: `a list of at least ${items(count)}`, code: "too_short" })

/** A list has at most so many items. */
export const atMostItems = (count: number) =>
  Schema.isMaxLength(count, { expected: `a list of at most ${items(count)}`, code: "too_long" })
