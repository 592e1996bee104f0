import * as PgClient from "@effect/sql-pg/PgClient"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Fiber, Layer, Ref, Schedule } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Maximum time that a write may wait for a lock. The server cancels a write that waits longer. */
export const limit = "100ms"

const merchantId = "01890000-0000-7000-8000-000000000001"

/** Creates a merchant with an endpoint, and `count` events, each with a delivery to that endpoint. */
export const fillEvents = Effect.fnUntraced(function* (count: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    insert into surety.merchant
      (id, business_code, name, legal_name, contact_name, contact_email, country, business_type, refunds_enabled,
      settlement_overdraft, status, created_at, updated_at)
    values (${merchantId}, 'SRM-2345-6789', 'Shop', 'Shop Ltd', 'A', 'a@shop.example', 'NG', 'LTD', true, false, 'ACTIVE',
      now(), now())`
  yield* sql`
    insert into surety.webhook_endpoint
      (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
    values (${merchantId}, 'LIVE', ${merchantId}, 'https://shop.example/', '{transaction.settled}', 'ENABLED', '[]', now(), now())`
  yield* sql`
    with made as (
      insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
      select ${merchantId}, 'LIVE', surety.uuid_v7(n.at), 'transaction.settled', '{"status":"SETTLED"}', n.at
      from (
        select '2026-01-01'::timestamptz + make_interval(secs => g) as at from generate_series(1, ${count}::integer) g
      ) n
      returning id, occurred_at
    )
    insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
    select surety.delivery_id(m.id, ${merchantId}), m.id, ${merchantId}, ${merchantId}, 'LIVE', 'DELIVERED', 1, 1, m.occurred_at
    from made m`
})

const append = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.andThen(
      sql.unsafe(`set local lock_timeout = '${limit}'`),
      sql`
        select * from surety.append_events(json_build_array(json_build_object(
          'merchant_id', ${merchantId}::uuid, 'environment', 'LIVE', 'id', surety.uuid_v7(now()), 'topic',
          'transaction.settled', 'body', '{}', 'occurred_at', now(), 'platform_only', false
        )))`
    )
  )
})

// A report that holds read locks on the tables for longer than a write may wait. Writes do not conflict with these
// locks, but they wait behind a statement that does.
const report = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.andThen(sql`select 1 from surety.event, surety.delivery limit 1`, sql`select pg_sleep(0.7)`)
  )
  yield* Effect.sleep("300 millis")
})

/**
 * Runs `work` while four writers append events, with a report in progress about 70 % of the time. Returns the result of
 * `work` as `done`, the number of writes `during` it, and the total `written` and `cancelled`.
 */
export const underLoad = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const written = yield* Ref.make(0)
    const cancelled = yield* Ref.make(0)
    const write = append.pipe(
      Effect.andThen(Ref.update(written, (count) => count + 1)),
      Effect.catchIf(
        (error) => isSqlError(error) && error.reason._tag === "LockTimeoutError",
        () => Ref.update(cancelled, (count) => count + 1)
      ),
      // Pauses, so that writes wait for locks and not for the processor of a shared machine.
      Effect.andThen(Effect.sleep("5 millis"))
    )
    const load = Effect.all([...Array.from({ length: 4 }, () => Effect.forever(write)), Effect.forever(report)], {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 6 }))))
    const fiber = yield* Effect.forkChild(load)
    yield* Effect.repeat(Ref.get(written), { until: (count) => count > 20, schedule: Schedule.spaced("20 millis") })
    const before = yield* Ref.get(written)
    const done = yield* work
    const during = (yield* Ref.get(written)) - before
    yield* Fiber.interrupt(fiber)
    return { done, during, written: yield* Ref.get(written), cancelled: yield* Ref.get(cancelled) }
  })
