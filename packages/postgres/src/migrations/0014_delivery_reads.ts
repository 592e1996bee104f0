import { claimDeliveriesFunction } from "../event/claimDeliveriesFunction.js"
import { recordAttemptsFunction } from "../event/recordAttemptsFunction.js"
import type { Migration } from "./Migration.js"

/** Claims that do not read again what earlier ones have left behind, and records that read only what they change. */
export const migration: Migration = {
  id: 14,
  name: "delivery_reads",
  statements: (schema) => [claimDeliveriesFunction(schema), recordAttemptsFunction(schema)]
}
