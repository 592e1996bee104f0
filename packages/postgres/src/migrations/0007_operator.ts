import type { Migration } from "./Migration.js"

const orders = ["", "actor", "kind", "target", "merchant_id", "service_id"]

/** What operators did. Appended in the commit of the change. */
export const migration: Migration = {
  id: 7,
  name: "operator",
  statements: (schema) => [
    `create table ${schema}.operator_action (
  id uuid not null,
  actor text collate "C" not null,
  kind text collate "C" not null,
  target text collate "C" not null,
  environment text collate "C",
  merchant_id uuid,
  service_id text collate "C",
  reason text,
  changes jsonb not null,
  at timestamptz(3) not null,
  constraint operator_action_pkey primary key (id),
  constraint operator_action_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint operator_action_environment_check check (environment in ('TEST', 'LIVE')),
  constraint operator_action_actor_check check (length(actor) between 1 and 64),
  constraint operator_action_changes_check check (jsonb_typeof(changes) = 'array')
)`,
    ...orders.map((column) => {
      const name = ["operator_action", column.replace("_id", ""), "idx"].filter((part) => part !== "").join("_")
      const columns = [column, "at desc", "id desc"].filter((part) => part !== "").join(", ")
      return `create index ${name} on ${schema}.operator_action (${columns})`
    }),
    `create trigger operator_action_append_only before update or delete or truncate
  on ${schema}.operator_action for each statement execute function ${schema}.refuse_change()`
  ]
}
