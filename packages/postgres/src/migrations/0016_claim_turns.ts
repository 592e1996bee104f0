import { claimDeliveriesFunction } from "./claimDeliveriesFunction.js"
import type { Migration } from "./Migration.js"

/** Claims in which no endpoint's backlog comes before another's first share. */
export const migration: Migration = {
  id: 16,
  name: "claim_turns",
  statements: (schema) => [claimDeliveriesFunction(schema)]
}
