import type { Migration } from "./Migration.js"

/** By which request a management link came. */
export const migration: Migration = {
  id: 17,
  name: "management_link_request",
  statements: (schema) => [`alter table ${schema}.management_link add column data_request_id uuid`]
}
