import type { Migration } from "./Migration.js"

/** A merchant's own purpose text, and the orders of lists that had none. */
export const migration: Migration = {
  id: 13,
  name: "merchant_purpose_and_lists",
  statements: (schema) => [
    `alter table ${schema}.merchant
  add column purpose text,
  add constraint merchant_purpose_check check (length(purpose) between 1 and 500)`,

    `create index consumer_link_merchant_idx
  on ${schema}.consumer_link (merchant_id, environment, created_at desc, user_id desc)`,
    `create index delivery_open_idx on ${schema}.delivery (environment, status, event_id, endpoint_id)
  where status <> 'DELIVERED'`,
    `create index delivery_test_idx on ${schema}.delivery (event_id, endpoint_id) where environment = 'TEST'`
  ]
}
