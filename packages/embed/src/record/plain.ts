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
