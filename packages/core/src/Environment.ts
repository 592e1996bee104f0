import { Schema } from "effect"

/**
 * TEST or LIVE. Every record of a merchant has one, taken from the API key that created it.
 *
 * TEST money never touches LIVE accounts, and a key of one environment sees the other's records as absent.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
