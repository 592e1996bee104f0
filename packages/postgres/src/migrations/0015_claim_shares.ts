import { claimDeliveriesFunction } from "../event/claimDeliveriesFunction.js"
import type { Migration } from "./Migration.js"

/** Claims in which each endpoint has its share. */
export const migration: Migration = {
  id: 15,
  name: "claim_shares",
  statements: (schema) => [claimDeliveriesFunction(schema)]
}
