import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Schema, SchemaTransformation } from "effect"

/** A time in a response: ISO 8601 in UTC with milliseconds (contract 0). */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-03-01T09:30:00.000Z"]
}).pipe(Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString))

/** A consumer identifier in a response, in canonical form. */
export const ServiceIdRecord = ConsumerId.annotate({
  examples: [ConsumerId.make("SR1-K7QM-WX4T-A")]
})
