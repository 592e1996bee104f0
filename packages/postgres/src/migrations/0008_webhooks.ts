import { claimDeliveriesFunction } from "../event/claimDeliveriesFunction.js"
import { recordAttemptsFunction } from "../event/recordAttemptsFunction.js"
import { commitRefundsFunction } from "../refund/commitRefundsFunction.js"
import type { Migration } from "./Migration.js"

/** The arguments of `commit_refunds` before it took traces. A new database never had it. */
const untracedRefund = `uuid[], text[], text[], bigint[], uuid[], text[], text[], text[], bigint[], text[], text[], text[],
  text[], text[], timestamptz[], timestamptz[], uuid[], text[], boolean[], uuid[], text[], timestamptz[], boolean, integer`

/** Endpoints with a rate, events with a trace, test events, the order of commits, and how long endpoints have failed. */
export const migration: Migration = {
  id: 8,
  name: "webhooks",
  statements: (schema) => [
    `alter table ${schema}.event
  add column traceparent text,
  add column test_for uuid,
  add column committed_by xid8 not null default pg_current_xact_id()`,
    `create index event_test_order_idx on ${schema}.event (merchant_id, committed_by, id)
  where environment = 'TEST' and test_for is null`,
    `create index event_live_order_idx on ${schema}.event (merchant_id, committed_by, id)
  where environment = 'LIVE' and test_for is null`,

    `alter table ${schema}.webhook_endpoint
  add column max_per_second integer,
  add column disabled_at timestamptz(3),
  add column failing_days integer not null default 0,
  add constraint webhook_endpoint_rate_check check (max_per_second >= 1)`,
    `update ${schema}.webhook_endpoint set disabled_at = updated_at where status = 'DISABLED' and removed_at is null`,

    `create table ${schema}.endpoint_claim (
  endpoint_id uuid not null,
  at timestamptz(3) not null,
  count integer not null,
  constraint endpoint_claim_pkey primary key (endpoint_id, at)
)`,

    `drop function ${schema}.claim_deliveries(timestamptz, timestamptz, integer, integer, boolean)`,
    claimDeliveriesFunction(schema),
    `drop function if exists ${schema}.commit_refunds(${untracedRefund})`,
    commitRefundsFunction(schema),
    recordAttemptsFunction(schema)
  ]
}
