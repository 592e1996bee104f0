import { Schema } from "effect"

/** Who acted. `SERVICE` is Surety itself, when a request or grant expires. */
export const ConsentActor = Schema.Struct({
  kind: Schema.Literals(["PERSON", "HOST", "OPERATOR", "MERCHANT", "SERVICE"]),
  /** Name of the acting user or system, such as `support-desk-3`. Must not be a personal value. */
  name: Schema.optionalKey(Schema.String)
})
export type ConsentActor = typeof ConsentActor.Type

export const service: ConsentActor = { kind: "SERVICE" }

/** Actor of a merchant's requests, cancellations and attestations. */
export const merchant: ConsentActor = { kind: "MERCHANT" }
