import type { Statement } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/**
 * When claims look at an endpoint: `endpoint_wake`. A claim reads wakes that are due and nothing of the endpoints that
 * have none, however much waits for them.
 *
 * What must hold: an enabled endpoint with a pending delivery has a wake no later than the delivery can be claimed. A wake
 * that leads to nothing is allowed; the claim that finds so moves it.
 *
 * Adding is always safe. Two things are not, and so exclude each other by the endpoint's row: leaving a wake out because
 * one is there, under `for key share` (an inserted delivery's foreign key takes that lock); and moving one to a later
 * time, under `for update`. A claim skips rows that it cannot lock, so nothing deadlocks with it.
 *
 * `held`: something of the endpoint was due when the wake was written, and leased, or waiting for a place or the rate.
 * `filled`: it waited for a place, so the end of an attempt must wake the endpoint.
 */
export const isUnwoken = (schema: string, endpointId: string, at: string): string =>
  `(select 1 from ${schema}.endpoint_wake known where known.endpoint_id = ${endpointId} and known.at <= ${at} limit 1) is null`

/** Adds a wake, due at once, for each `endpoint_id` among the rows of a query's part. */
export const wakeAfter = ({ name, sql }: Database, rows: string): Statement<unknown> => sql`
  insert into ${name("endpoint_wake")} (endpoint_id, failing, at)
  select e.id, e.failing_since is not null, '-infinity' from ${name("webhook_endpoint")} e
  where e.id in (select w.endpoint_id from ${sql.literal(rows)} w)`
