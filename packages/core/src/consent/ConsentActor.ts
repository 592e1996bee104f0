import { Schema } from "effect"

/** Who acted: the person, the host, an operator, the merchant, or the service itself on expiry. */
export const ConsentActor = Schema.Struct({
  kind: Schema.Literals(["PERSON", "HOST", "OPERATOR", "MERCHANT", "SERVICE"]),
  /** The name, at the host or the operator, of the user or system that acted. Must not be a personal value. */
  name: Schema.optionalKey(Schema.String)
})
export type ConsentActor = typeof ConsentActor.Type

/** Actor of an expiry. */
export const service: ConsentActor = { kind: "SERVICE" }

/** Actor of a merchant's requests, cancellations and attestations. */
export const merchant: ConsentActor = { kind: "MERCHANT" }
