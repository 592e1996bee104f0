import { Schema } from "effect"

/** The body of a route without input: omitted, or an empty object. */
export const NoFields = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "NoFields",
  description: "An empty object."
})
