import { Schema, SchemaTransformation } from "effect"

/** A time in a request (RFC 3339, section 5.6): with its seconds, in UTC or with its offset. */
export const Moment = Schema.String.check(
  Schema.isPattern(/^[2-9]\d{3}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/u, {
    expected: "a date and time with its offset, such as 2026-03-01T09:30:00Z",
    code: "wrong_format"
  })
)
  .annotate({ format: "date-time", examples: ["2026-03-01T09:30:00Z"] })
  .pipe(Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString))
