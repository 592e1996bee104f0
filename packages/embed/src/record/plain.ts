import { Schema } from "effect"

/** A time in UTC, as ISO 8601 with milliseconds. */
export const Time = Schema.DateTimeUtcFromString

/**
 * Builds a function that converts a value of core to the plain form returned to a host. The form has only primitives,
 * lists and objects, and no `Redacted` values. Drops fields that the record does not declare, so that no core field
 * leaks.
 */
export const plain = <Value, Record, Plain>(
  record: Schema.Codec<Record, Plain>,
  recordOf: (value: Value) => NoInfer<Record>
): ((value: Value) => Plain) => {
  const encode = Schema.encodeSync(record)
  return (value) => encode(recordOf(value))
}

const digitsOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return value.map(digitsOf)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, digitsOf(field)]))
}

/** Adds a `toJSON` to a record, so that `JSON.stringify` writes bigints as decimal strings. Returns the same record. */
export const inJson = <Plain extends object>(written: Plain): Plain => {
  Object.defineProperty(written, "toJSON", { value: () => digitsOf(written), enumerable: false })
  return written
}

/** Like `plain`, for records with bigints, which JSON lacks. `JSON.stringify` writes them as decimal strings. */
export const plainMoney = <Value, Record, Plain extends object>(
  record: Schema.Codec<Record, Plain>,
  recordOf: (value: Value) => NoInfer<Record>
): ((value: Value) => Plain) => {
  const write = plain(record, recordOf)
  return (value) => inJson(write(value))
}
