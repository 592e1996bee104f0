import { Schema } from "effect"

/** Who decided or did something: the person themselves, somebody on their behalf, or the passing of time. */
export const ConsentActor = Schema.Struct({
  kind: Schema.Literals(["PERSON", "HOST", "OPERATOR", "MERCHANT", "SERVICE"]),
  /** The host's or operator's own name for the user or system of theirs that acted. No personal value. */
  name: Schema.optionalKey(Schema.String)
})
export type ConsentActor = typeof ConsentActor.Type

/** What happens of itself, such as an expiry. */
export const service: ConsentActor = { kind: "SERVICE" }

/** The merchant by its API key. */
export const merchant: ConsentActor = { kind: "MERCHANT" }
