import type { Schema } from "effect"

const inOrder = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, child]) => [key, inOrder(child)])
  )
}

/**
 * The one JSON text of a value: no white space, and keys in the order of their UTF-16 code units, so that whoever holds
 * the value can hash it again.
 *
 * @see RFC 8785. Keys that look like array indices are not supported: JavaScript would not keep their order.
 */
export const canonicalJson = (value: Schema.Json): string => JSON.stringify(inOrder(value))
