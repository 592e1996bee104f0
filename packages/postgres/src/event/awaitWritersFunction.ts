import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Builds SQL for the key of an endpoint's advisory lock. Transactions that store events of the endpoint's merchant
 * share the lock while the endpoint is disabled. The transaction that enables it takes the lock exclusively. With a row
 * lock, sharers could starve the enabling transaction, and claims would wait for the sharers.
 */
export const endpointLock = (schema: string, endpointId: string): string =>
  `hashtextextended('${schema}.webhook_endpoint ' || ${endpointId}, 0)`

/**
 * Waits until every transaction that saw the endpoint as disabled when it stored an event has ended. Call it in the
 * transaction that enables the endpoint, after the update. Transactions that store an event later wait for that commit.
 * The wait fails after a second (`lock_timeout`), so that a long transaction does not block them.
 */
export const awaitWritersFunction: SqlFunction = {
  name: "await_writers",
  definition: (
    schema
  ) => `create or replace function ${schema}.await_writers(endpoint uuid) returns void language plpgsql volatile
  set lock_timeout = '1s'
as $$
begin
  perform pg_advisory_xact_lock(${endpointLock(schema, "endpoint")});
end
$$`
}
