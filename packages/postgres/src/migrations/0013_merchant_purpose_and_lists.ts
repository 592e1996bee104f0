import type { Migration } from "./Migration.js"

/** A merchant's own purpose text, and the orders of lists that had none. */
export const migration: Migration = {
  id: 13,
  name: "merchant_purpose_and_lists",
  statements: (schema) => [
    `alter table ${schema}.merchant
  add column purpose text,
  add constraint merchant_purpose_check check (length(purpose) between 1 and 500)`
  ]
}
