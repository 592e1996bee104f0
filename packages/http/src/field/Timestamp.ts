import { Schema, SchemaTransformation } from "effect"

/** A time on the wire: ISO 8601 in UTC with milliseconds (contract 0). */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-03-01T09:30:00.000Z"]
}).pipe(Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString))
