import { Schema } from "effect"

/** A time in UTC, as ISO 8601 with milliseconds. */
export const Time = Schema.DateTimeUtcFromString

/**
 * Writes a value of core in the plain form that a host gets: strings, numbers, nothing redacted. A field that the record
 * does not name is left out, so nothing of core slips through.
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

/**
 * `plain` for a record with bigints, which JSON does not have: `JSON.stringify` writes them as strings of digits, as in
 * an error's JSON, instead of throwing.
 */
export const plainMoney = <Value, Record, Plain extends object>(
  record: Schema.Codec<Record, Plain>,
  recordOf: (value: Value) => NoInfer<Record>
): ((value: Value) => Plain) => {
  const write = plain(record, recordOf)
  return (value) => {
    const written = write(value)
    Object.defineProperty(written, "toJSON", { value: () => digitsOf(written), enumerable: false })
    return written
  }
}
