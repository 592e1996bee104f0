import { Schema } from "effect"

/**
 * TEST or LIVE. Money, consents and verifications of one environment are separate from those of the other. A merchant's
 * API key decides the environment of its requests, and cannot reach records of the other environment.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
