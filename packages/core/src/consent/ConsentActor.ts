import { Schema } from "effect"

/** Who acted: the person, someone on their behalf, or the passing of time. */
export const ConsentActor = Schema.Struct({
  kind: Schema.Literals(["PERSON", "HOST", "OPERATOR", "MERCHANT", "SERVICE"]),
  /** The host's or operator's name for the user or system that acted. No personal value. */
  name: Schema.optionalKey(Schema.String)
})
export type ConsentActor = typeof ConsentActor.Type

/** An expiry. */
export const service: ConsentActor = { kind: "SERVICE" }

/** The merchant, by its API key. */
export const merchant: ConsentActor = { kind: "MERCHANT" }
