import { Schema } from "effect"

/**
 * The two worlds that never meet: every record below a merchant carries one, taken from the API key that made it.
 *
 * TEST money never touches LIVE accounts, and a key of one environment sees the other's records as absent.
 */
export const Environment = Schema.Literals(["TEST", "LIVE"])
export type Environment = typeof Environment.Type
