import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { type EndpointInsertion, WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { type EndpointId, type MerchantId, toUuid } from "@surety/core/Ids"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Array as Arr, DateTime, Effect, Layer, Schema } from "effect"
import * as Database from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"
import { outcomeWith, storing } from "./appendEvents.js"
import { wakeAfter } from "./delivery/endpointWakes.js"
import * as EndpointRow from "./EndpointRow.js"

const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

const decodeMerchants = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ status: MerchantStatus })))

export const layer: Layer.Layer<WebhookEndpointStore, never, PgClient | DeliverySignal> = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { name, sql, verb } = database
    const endpoints = name("webhook_endpoint")

    const insertRow = (endpoint: WebhookEndpoint, limit: number) => sql`
      insert into ${endpoints} (
        merchant_id, environment, id, url, topics, status, disabled_reason, disabled_at, max_per_second, secrets, failing_since,
        missed_since, created_at, updated_at
      )
      select ${toUuid(endpoint.merchantId)}::uuid, ${endpoint.environment}::text, ${toUuid(endpoint.id)}::uuid,
        ${endpoint.url}::text, ${PgArray.texts(endpoint.topics)}, ${endpoint.status}::text,
        ${endpoint.disabledReason ?? null}::text, ${dateOf(endpoint.disabledAt)}::timestamptz, ${endpoint.maxPerSecond ?? null}::integer,
        ${EndpointRow.secretsText(endpoint.secrets)}::jsonb,
        ${dateOf(endpoint.failingSince)}::timestamptz, ${dateOf(endpoint.missedSince)}::timestamptz,
        ${DateTime.toDate(endpoint.createdAt)}::timestamptz, ${DateTime.toDate(endpoint.updatedAt)}::timestamptz
      where (
        select count(*) from ${endpoints}
        where merchant_id = ${toUuid(endpoint.merchantId)} and removed_at is null
      ) < ${limit}
      returning 1`

    /** Locks the merchant's row, so that the current transaction and changes of the merchant's status are serialised. */
    const lockedStatus = (merchantId: MerchantId) =>
      Effect.map(
        Effect.flatMap(
          sql`select status from ${name("merchant")} where id = ${toUuid(merchantId)} for no key update`,
          decodeMerchants
        ),
        ([merchant]) => merchant?.status
      )

    const insert = Effect.fn("PgWebhookEndpointStore.insert")(function* (
      endpoint: WebhookEndpoint,
      limit: number,
      statuses: ReadonlyArray<MerchantStatus>
    ): Effect.fn.Return<EndpointInsertion, Database.InnerError> {
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          const status = yield* lockedStatus(endpoint.merchantId)
          if (status === undefined) return "merchant_missing"
          if (!statuses.includes(status)) return "status_forbids"
          const rows = yield* insertRow(endpoint, limit)
          return rows.length > 0 ? "inserted" : "limit_reached"
        })
      )
    }, verb("WebhookEndpointStore.insert"))

    const find = Effect.fn("PgWebhookEndpointStore.find")(function* (merchantId: MerchantId, id: EndpointId) {
      const rows = yield* sql`
        select ${sql.literal(EndpointRow.columns)} from ${endpoints} e
        where e.id = ${toUuid(id)} and e.merchant_id = ${toUuid(merchantId)} and e.removed_at is null`
      return Arr.head(yield* EndpointRow.decode(rows))
    }, verb("WebhookEndpointStore.find"))

    const list = Effect.fn("PgWebhookEndpointStore.list")(function* (merchantId: MerchantId) {
      const rows = yield* sql`
        select ${sql.literal(EndpointRow.columns)} from ${endpoints} e
        where e.merchant_id = ${toUuid(merchantId)} and e.removed_at is null order by e.id`
      return yield* EndpointRow.decode(rows)
    }, verb("WebhookEndpointStore.list"))

    // Replaces an endpoint unless it was removed, or its settings, status, secrets or `updated_at` have changed since
    // it was read. Comparing `updated_at` alone would miss a second change in the same millisecond.
    const replace = Effect.fn("PgWebhookEndpointStore.replace")(function* (
      before: WebhookEndpoint,
      after: WebhookEndpoint,
      event?: DomainEvent,
      statuses?: ReadonlyArray<MerchantStatus>
    ) {
      const recovered = before.failingSince !== undefined && after.failingSince === undefined
      const statement = sql`
        with stored as (
        update ${endpoints} e
        set url = ${after.url}, topics = ${PgArray.texts(after.topics)}, status = ${after.status},
          disabled_reason = ${after.disabledReason ?? null}, secrets = ${EndpointRow.secretsText(after.secrets)}::jsonb,
          disabled_at = ${dateOf(after.disabledAt)}, missed_since = ${dateOf(after.missedSince)},
          max_per_second = ${after.maxPerSecond ?? null},
          failing_since = case when ${recovered} then null else failing_since end,
          failing_days = case when ${recovered} then 0 else failing_days end,
          updated_at = ${DateTime.toDate(after.updatedAt)}
        where e.id = ${toUuid(before.id)} and e.merchant_id = ${toUuid(before.merchantId)} and e.removed_at is null
          and e.updated_at = ${DateTime.toDate(before.updatedAt)} and e.url = ${before.url}
          and e.topics = ${PgArray.texts(before.topics)} and e.status = ${before.status}
          and e.max_per_second is not distinct from ${before.maxPerSecond ?? null}
          and e.disabled_reason is not distinct from ${before.disabledReason ?? null}
          and e.secrets = ${EndpointRow.secretsText(before.secrets)}::jsonb
        returning e.id as endpoint_id
        ),
        woken as (
          ${wakeAfter(database, "stored")}
        )${outcomeWith(database, event === undefined ? [] : [event])}`
      const replaced = storing(database, signal, statement)
      const isEnabling = before.status !== after.status && after.status === "ENABLED"
      if (!isEnabling && statuses === undefined) return yield* replaced
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          const status = statuses === undefined ? undefined : yield* lockedStatus(before.merchantId)
          if (statuses !== undefined && (status === undefined || !statuses.includes(status))) return false
          const isStored = yield* replaced
          if (isStored && isEnabling) yield* sql`select ${name("await_writers")}(${toUuid(after.id)})`
          return isStored
        })
      )
    }, verb("WebhookEndpointStore.replace"))

    // Marks an endpoint as removed, erases its secrets and deletes its pending deliveries. Its row stays for the
    // delivery history.
    const remove = Effect.fn("PgWebhookEndpointStore.remove")(function* (merchantId: MerchantId, id: EndpointId) {
      const rows = yield* sql`
        with removed as (
          update ${endpoints} e
          set removed_at = now(), secrets = '[]', status = 'DISABLED', disabled_reason = null, disabled_at = null,
            failing_since = null, missed_since = null
          where e.id = ${toUuid(id)} and e.merchant_id = ${toUuid(merchantId)} and e.removed_at is null
          returning id
        ),
        unsent as (
          delete from ${name("delivery")} d using removed r where d.endpoint_id = r.id and d.status = 'PENDING'
        )
        select 1 from removed`
      return rows.length > 0
    }, verb("WebhookEndpointStore.remove"))

    return WebhookEndpointStore.of({ insert, find, list, replace, remove })
  })
)
