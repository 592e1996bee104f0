import { Schema } from "effect"

/**
 * TEST or LIVE. Every record of a merchant belongs to one environment. The API key decides the environment of a
 * merchant's request.
 *
 * TEST money never touches LIVE accounts. For a key of one environment, the other environment's records do not exist.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
