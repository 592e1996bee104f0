import { Schema } from "effect"

/** Who acted. `SERVICE` is Surety itself, when a request or grant expires or a one-time grant is used up. */
export const ConsentActor = Schema.Struct({
  kind: Schema.Literals(["PERSON", "HOST", "OPERATOR", "MERCHANT", "SERVICE"]),
  /** Label of the user or system, such as `support-desk-3`. Must not be a person's name or other personal data. */
  name: Schema.optionalKey(Schema.String)
})
export type ConsentActor = typeof ConsentActor.Type

export const service: ConsentActor = { kind: "SERVICE" }

/** Actor of a merchant's requests and cancellations, and of its attestations that a person consents to verification. */
export const merchant: ConsentActor = { kind: "MERCHANT" }
