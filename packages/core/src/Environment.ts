import { Schema } from "effect"

/**
 * TEST or LIVE. Each environment has its own money, consents and verifications. A merchant's API key decides the
 * environment of its requests, and cannot reach records of the other environment.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
