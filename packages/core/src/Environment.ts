import { Schema } from "effect"

/**
 * TEST or LIVE. Every record of a merchant belongs to one, taken from the API key that created it.
 *
 * TEST money never touches LIVE accounts. For a key of one environment, the other environment's records do not exist.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
