import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { EndpointId, EventId, type MerchantId, toUuid } from "@surety/core/Ids"
import * as PgArchive from "@surety/postgres/PgArchive"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Console, DateTime, Effect, Layer, Redacted, Schema, type Scope } from "effect"
import { runArchive } from "../../src/archive/runArchive.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { transfersOfPayments } from "./transfersOfPayments.js"

export const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 })))),
  Layer.provideMerge(MigratedDatabase.layer),
  Layer.provideMerge(NodeServices.layer)
)

type StoreServices = Layer.Success<typeof stores>

/** Runs `work` on its own database, because an archive covers all merchants. */
export const inStore = <A, E>(work: Effect.Effect<A, E, StoreServices | Scope.Scope>) =>
  work.pipe(Effect.scoped, Effect.provide(Layer.fresh(stores)))

export const timeoutMillis = 300_000

/** Dies with a defect, to simulate an archive run that is killed. */
export const killed = Effect.die(new Error("killed"))

export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-archive-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** A receiver's response. No archive may contain it. */
export const receiversAnswer = "thank you, Ngozi Eze"

const decodeEvents = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, month: Schema.String }))
)

/**
 * Creates a merchant with an endpoint, and `perMonth` settled payments in each month, each with a delivered event.
 * Payments start on the first of the month and are `24 / ceil(perMonth / 20)` h apart.
 */
export const seed = Effect.fnUntraced(function* (months: ReadonlyArray<string>, perMonth: number) {
  const sql = yield* PgClient.PgClient
  const merchant = yield* FreshMerchant.make()
  const id = toUuid(merchant.id)
  yield* sql`update surety.merchant set created_at = '2024-01-01' where id = ${id}`
  const [endpoint] = yield* sql`
    insert into surety.webhook_endpoint
      (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
    values (${id}, 'LIVE', gen_random_uuid(), 'https://shop.example/token-in-url', '{transaction.settled}', 'ENABLED',
      '[]', '2024-01-01', '2024-01-01')
    returning id::text as id`
  const endpointId = String(endpoint?.id)
  for (const month of months) {
    yield* sql`
      with made as (
        insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
        select ${id}, 'LIVE', surety.uuid_v7(n.at), 'transaction.settled', json_build_object('number', n.number)::text, n.at
        from (
          select g as number, ${`${month}-01T00:00:00.000Z`}::timestamptz + make_interval(secs => g * 86400 / ${Math.ceil(perMonth / 20)}) as at
          from generate_series(0, ${perMonth - 1}) g
        ) n
        returning id, occurred_at
      ),
      paid as (
        insert into surety.payment
          (merchant_id, environment, id, method, status, currency, amount_minor, refunded_minor, created_at, settled_at, event_id)
        select ${id}, 'LIVE', 'pay-' || m.id, 'CARD', 'SETTLED', 'NGN', 100, 0, m.occurred_at, m.occurred_at, m.id from made m
      ),
      sent as (
        insert into surety.delivery
          (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
        select surety.delivery_id(m.id, ${endpointId}::uuid), m.id, ${endpointId}::uuid, ${id}, 'LIVE', 'DELIVERED', 1, 1, m.occurred_at
        from made m
        returning id, created_at
      )
      insert into surety.delivery_attempt (delivery_id, number, started_at, duration_millis, response_status, response_body)
      select s.id, 1, s.created_at, 12, 200, ${receiversAnswer} from sent s`
  }
  yield* sql.unsafe(transfersOfPayments("surety", id))
  const rows = yield* Effect.flatMap(
    sql`select id::text as id, to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month from surety.event
      where merchant_id = ${id} order by id`,
    decodeEvents
  )
  const idsOf = (month: string): ReadonlyArray<EventId> =>
    rows.filter((row) => row.month === month).map((row) => EventId.fromUuid(row.id))
  return {
    merchantId: merchant.id,
    contact: Redacted.value(merchant.profile.contactEmail),
    scope: FreshMerchant.scopeOf(merchant),
    endpointId: EndpointId.fromUuid(endpointId),
    idsOf
  }
})

export type Seeded = Effect.Success<ReturnType<typeof seed>>

/** Returns a merchant's events and deliveries as text, and each attempt's ids, number, start and response status. */
export const rowsOf = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const sql = yield* PgClient.PgClient
  const id = toUuid(merchantId)
  const rows = [
    ...(yield* sql`select v::text as row from surety.event v where v.merchant_id = ${id} order by v.id`),
    ...(yield* sql`select d::text as row from surety.delivery d where d.merchant_id = ${id} order by d.id`),
    ...(yield* sql`
      select a.id || ' ' || a.delivery_id || ' ' || a.number || ' ' || a.started_at || ' ' || a.response_status as row
      from surety.delivery_attempt a join surety.delivery d on d.id = a.delivery_id
      where d.merchant_id = ${id} order by a.id`)
  ]
  return rows.map(({ row }) => String(row))
})

export const day = (text: string): DateTime.Utc => DateTime.makeUnsafe(`${text}T00:00:00.000Z`)

/** Runs `work` and returns the lines that it logs to the console, joined by newlines. */
export const printed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const real = yield* Console.Console
    yield* Effect.provideService(work, Console.Console, {
      ...real,
      log: (...parts: ReadonlyArray<unknown>) => {
        lines.push(parts.join(" "))
      }
    })
    return lines.join("\n")
  })

/** Archives the months that ended by the start of the day `before`, and returns the output. */
export const archiveBefore = (to: string, before: string, archive?: PgArchive.Archive) =>
  Effect.flatMap(archive === undefined ? PgArchive.make : Effect.succeed(archive), (store) =>
    printed(runArchive(store, { before: day(before), to, by: "test" }))
  )
