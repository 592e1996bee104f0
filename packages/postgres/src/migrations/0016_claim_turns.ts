import { claimDeliveriesFunction } from "../event/claimDeliveriesFunction.js"
import { recordAttemptsFunction } from "../event/recordAttemptsFunction.js"
import type { Migration } from "./Migration.js"

/** Claims in which no endpoint's backlog comes before another's first share, and records that no endpoint's lock holds up. */
export const migration: Migration = {
  id: 16,
  name: "claim_turns",
  statements: (schema) => [claimDeliveriesFunction(schema), recordAttemptsFunction(schema)]
}
