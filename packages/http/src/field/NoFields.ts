import { Schema } from "effect"

/** The body of a route that asks for nothing: it may be left out, or be an object without a field. */
export const NoFields = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "NoFields",
  description: "An object without a field."
})
