import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { EndpointId, MerchantId } from "@surety/core/Ids"
import { DateTime, Effect, Layer, Option } from "effect"
import { Database, type Sql } from "./Database.ts"
import { endpoints } from "./outbox.ts"
import { findMerchant } from "./SqliteMerchantStore.ts"

const findEndpoint = (sql: Sql, merchantId: MerchantId, id: EndpointId): WebhookEndpoint | undefined =>
  endpoints.of(sql.get`select record from webhook_endpoint where id = ${id} and merchant_id = ${merchantId}`)

const listEndpoints = (sql: Sql, merchantId: MerchantId): ReadonlyArray<WebhookEndpoint> =>
  endpoints.all(sql.all`select record from webhook_endpoint where merchant_id = ${merchantId} order by id`)

const isRecovered = (before: WebhookEndpoint, after: WebhookEndpoint): boolean =>
  before.failingSince !== undefined && after.failingSince === undefined

/** `after`, but with what is not the caller's to change: identity, and since when the queue has seen it failing. */
const replaced = (stored: WebhookEndpoint, before: WebhookEndpoint, after: WebhookEndpoint): WebhookEndpoint => {
  const { createdAt, environment, failingSince, id, merchantId } = stored
  const { failingSince: _, ...changed } = after
  return {
    ...changed,
    id,
    merchantId,
    environment,
    createdAt,
    ...(failingSince === undefined || isRecovered(before, after) ? {} : { failingSince })
  }
}

export const make = ({ read, write }: Database["Service"]): WebhookEndpointStore["Service"] =>
  WebhookEndpointStore.of({
    insert: (endpoint, limit, statuses) =>
      write("WebhookEndpointStore.insert", (sql) => {
        const merchant = findMerchant(sql, endpoint.merchantId)
        if (merchant === undefined) return "merchant_missing"
        if (!statuses.includes(merchant.status)) return "status_forbids"
        if (listEndpoints(sql, endpoint.merchantId).length >= limit) return "limit_reached"
        sql.run`insert into webhook_endpoint (record) values (${endpoints.text(endpoint)})`
        return "inserted"
      }),

    find: (merchantId, id) =>
      read("WebhookEndpointStore.find", (sql) => Option.fromUndefinedOr(findEndpoint(sql, merchantId, id))),

    list: (merchantId) => read("WebhookEndpointStore.list", (sql) => listEndpoints(sql, merchantId)),

    replace: (before, after) =>
      write("WebhookEndpointStore.replace", (sql) => {
        const stored = findEndpoint(sql, before.merchantId, before.id)
        if (stored === undefined || !DateTime.Equivalence(stored.updatedAt, before.updatedAt)) return false
        const record = endpoints.text(replaced(stored, before, after))
        sql.run`update webhook_endpoint set record = ${record} where id = ${stored.id}`
        if (isRecovered(before, after)) sql.run`update webhook_endpoint set failing_days = 0 where id = ${stored.id}`
        return true
      }),

    remove: (merchantId, id) =>
      write("WebhookEndpointStore.remove", (sql) => {
        const { changes } = sql.run`delete from webhook_endpoint where id = ${id} and merchant_id = ${merchantId}`
        if (changes === 0n) return false
        sql.run`delete from delivery where endpoint_id = ${id} and status = 'PENDING'`
        return true
      })
  })

export const layer: Layer.Layer<WebhookEndpointStore, never, Database> = Layer.effect(
  WebhookEndpointStore,
  Effect.map(Database, make)
)
