import type { Migration } from "./Migration.js"

/** The orders in which a merchant and the operator list verifications. */
export const migration: Migration = {
  id: 10,
  name: "verification_lists",
  statements: (schema) => [
    `create index verification_merchant_idx
  on ${schema}.verification (merchant_id, environment, created_at desc, id desc)`,
    `create index verification_environment_idx on ${schema}.verification (environment, created_at desc, id desc)`
  ]
}
