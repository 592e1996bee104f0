import { endpointShare as share } from "@surety/core/event/DeliveryQueue"
import type { Statement } from "effect/sql/Statement"
import type { Database } from "../../sql/Database.js"

/**
 * Builds the condition that an endpoint has no wake at or before a time. The table `endpoint_wake` holds the times at
 * which claims check endpoints. Except for a sweep, a claim reads nothing of an endpoint without a due wake, regardless
 * of its backlog.
 *
 * Invariant: an enabled endpoint with a pending delivery has a wake no later than the time when the delivery can be
 * claimed. A claim may find nothing due at a wake, and then moves or deletes the wake.
 *
 * Adding a wake is always safe. Two operations are not, and exclude each other through the endpoint's row. The first,
 * omitting a wake because one exists, takes `for key share`, as does an inserted delivery's foreign key. The second,
 * moving a wake to a later time, takes `for update`. Once a claim has locked an endpoint, it skips rows that it cannot
 * lock, so it never deadlocks.
 *
 * `held`: a claim set the wake to a later time although a delivery was already due. That delivery was leased, or
 * waiting for a slot or the rate limit. `filled`: a due delivery was waiting for a slot, so the end of an attempt must
 * wake the endpoint.
 */
export const isUnwoken = (schema: string, endpointId: string, at: string): string =>
  `(select 1 from ${schema}.endpoint_wake known where known.endpoint_id = ${endpointId} and known.at <= ${at} limit 1) is null`

/**
 * Builds the statement that adds a wake, due immediately, for each `endpoint_id` in the rows of a common table
 * expression.
 */
export const wakeAfter = ({ name, sql }: Database, rows: string): Statement<unknown> => sql`
  insert into ${name("endpoint_wake")} (endpoint_id, failing, at)
  select e.id, e.failing_since is not null, '-infinity' from ${name("webhook_endpoint")} e
  where e.id in (select w.endpoint_id from ${sql.literal(rows)} w)`

// Parts of `claim_deliveries` that read and write wakes, using its variables.

/** Builds the condition that an endpoint outside `visited` has a due wake. */
export const moreIsDue = (schema: string): string => `exists (
      select from unnest(case when of_failing is null then array[false, true] else array[of_failing] end) as lane (failing)
      cross join lateral (
        select 1 from ${schema}.endpoint_wake w
        where w.failing = lane.failing and w.at <= claimed_at and (w.endpoint_id = any (visited)) is not true
        limit 1
      ) more
    )`

/**
 * Builds SQL that adds a wake for each enabled endpoint at the time when its first pending delivery is due. Omits
 * endpoints that already have a wake by then.
 */
export const addMissingWakes = (schema: string): string => `with recursive waiting as (
      (
        select d.endpoint_id, d.next_attempt_at from ${schema}.delivery d where d.status = 'PENDING'
        order by d.endpoint_id, d.next_attempt_at limit 1
      )
      union all
      select following.* from waiting w cross join lateral (
        select d.endpoint_id, d.next_attempt_at from ${schema}.delivery d
        where d.status = 'PENDING' and d.endpoint_id > w.endpoint_id
        order by d.endpoint_id, d.next_attempt_at limit 1
      ) following
    )
    select array_agg(w.endpoint_id), array_agg(e.failing), array_agg(w.next_attempt_at)
    into unwoken, unwoken_failing, unwoken_dues
    from waiting w
    cross join lateral (
      select e.failing_since is not null as failing from ${schema}.webhook_endpoint e
      where e.id = w.endpoint_id and e.status = 'ENABLED' and coalesce(e.removed_at, 'infinity') = 'infinity'
      limit 1
    ) e
    where ${isUnwoken(schema, "w.endpoint_id", "w.next_attempt_at")};
    insert into ${schema}.endpoint_wake (endpoint_id, failing, at)
    select u.endpoint_id, u.failing, u.at from unnest(unwoken, unwoken_failing, unwoken_dues) as u (endpoint_id, failing, at);`

/**
 * Builds SQL that replaces the wakes of each visited endpoint with a single next one. If an endpoint needs no wake,
 * deletes its wakes. Skips an endpoint whose row another transaction has locked, for example to add a delivery.
 */
export const moveWakes = (schema: string): string => `select array_agg(e.id) into movable
  from unnest(visited) as v (id)
  cross join lateral (
    select e.id from ${schema}.webhook_endpoint e where e.id = v.id limit 1 for update skip locked
  ) e;

  with looked_at as materialized (
    select e.id, e.failing, leased.count as leased, leased.first_end, first.due_at, paced.count as paced, paced.first_at,
      e.sent_to, e.max_per_second
    from unnest(movable) as v (id)
    cross join lateral (
      select e.id, e.max_per_second, e.failing_since is not null as failing,
        e.status = 'ENABLED' and e.removed_at is null as sent_to
      from ${schema}.webhook_endpoint e where e.id = v.id limit 1
    ) e
    cross join lateral (
      select count(*) as count, min(d.leased_until) as first_end from ${schema}.delivery d
      where d.endpoint_id = v.id and d.leased_until > claimed_at
    ) leased
    cross join lateral (
      select (
        select d.next_attempt_at from ${schema}.delivery d
        where d.endpoint_id = v.id and d.status = 'PENDING' and (d.leased_until is null or d.leased_until <= claimed_at)
        order by d.next_attempt_at, d.id
        limit 1
      ) as due_at
    ) first
    cross join lateral (
      select coalesce(sum(p.count), 0) as count, min(p.at) as first_at from ${schema}.endpoint_claim p
      where e.max_per_second is not null and p.endpoint_id = v.id and p.at > claimed_at - interval '1 second'
    ) paced
  ),
  next as materialized (
    select l.id, l.failing, l.leased > 0 or l.due_at <= claimed_at is true as held,
      (l.due_at <= claimed_at and l.leased >= max_per_endpoint) is true as filled,
      case
        when not l.sent_to then null
        when l.due_at > claimed_at or l.due_at is null then least(l.due_at, l.first_end)
        when l.leased >= max_per_endpoint then l.first_end
        when l.paced >= l.max_per_second then l.first_at + interval '1 second'
        when l.leased >= ${share} then claimed_at
        else l.due_at
      end as at
    from looked_at l
  ),
  wanted as materialized (
    select n.id, n.failing, n.at, n.held and n.at > claimed_at as held, n.filled from next n
  ),
  missing as materialized (
    select n.* from wanted n
    where n.at is not null and (
      select 1 from ${schema}.endpoint_wake o
      where o.endpoint_id = n.id and (o.failing, o.at, o.held, o.filled) = (n.failing, n.at, n.held, n.filled)
      limit 1
    ) is null
  ),
  gone as (
    delete from ${schema}.endpoint_wake w
    where w.endpoint_id = any (array(select n.id from wanted n)) and not exists (
      select from wanted n
      where n.id = w.endpoint_id and (n.failing, n.at, n.held, n.filled) = (w.failing, w.at, w.held, w.filled)
    )
  )
  insert into ${schema}.endpoint_wake (endpoint_id, failing, at, held, filled)
  select n.id, n.failing, n.at, n.held, n.filled from missing n;`
