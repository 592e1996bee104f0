import { Consumer, type ConsumerLink } from "@surety/core/consumer/Consumer"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { Database, type Sql } from "./Database.ts"
import { pageOf } from "./pages.ts"
import { storedRecord } from "./StoredRecord.ts"

const consumers = storedRecord(Consumer)

const linkedConsumer = Schema.decodeUnknownSync(
  Schema.Struct({ userId: UserId, serviceId: ConsumerId, linkedAt: Schema.DateTimeUtcFromString })
)

export const findConsumer = (sql: Sql, environment: Environment, id: UserId): Consumer | undefined =>
  consumers.of(sql.get`select record from consumer where environment = ${environment} and id = ${id}`)

export const findConsumerByServiceId = (sql: Sql, environment: Environment, id: ConsumerId): Consumer | undefined =>
  consumers.of(sql.get`select record from consumer where environment = ${environment} and service_id = ${id}`)

export const saveConsumer = (sql: Sql, consumer: Consumer): void => {
  sql.run`
    update consumer set record = ${consumers.text(consumer)}
    where environment = ${consumer.environment} and id = ${consumer.id}`
}

/** Whether the merchant may name the consumer. */
export const isLinked = (sql: Sql, { environment, merchantId }: MerchantScope, userId: UserId): boolean =>
  sql.get`
    select 1 from may_name
    where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId}` !== undefined

const keepLink = (sql: Sql, { createdAt, environment, merchantId, userId }: ConsumerLink): void => {
  sql.run`
    insert into consumer_link (merchant_id, environment, user_id, linked_at)
    values (${merchantId}, ${environment}, ${userId}, ${DateTime.formatIso(createdAt)})
    on conflict (merchant_id, environment, user_id) do nothing`
}

export const make = ({ read, write }: Database["Service"]): ConsumerStore["Service"] =>
  ConsumerStore.of({
    insert: (consumer, link) =>
      write("ConsumerStore.insert", (sql) => {
        const { changes } = sql.run`
          insert into consumer (record) values (${consumers.text(consumer)}) on conflict do nothing`
        if (changes === 0n) return false
        if (link !== undefined) keepLink(sql, link)
        return true
      }),

    findByServiceId: (environment, serviceId) =>
      read("ConsumerStore.findByServiceId", (sql) =>
        Option.fromUndefinedOr(findConsumerByServiceId(sql, environment, serviceId))
      ),

    link: (link) => write("ConsumerStore.link", (sql) => keepLink(sql, link)),

    unlink: (merchantId, environment, userId) =>
      write("ConsumerStore.unlink", (sql) => {
        const { changes } = sql.run`
          delete from consumer_link
          where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId}`
        return changes === 1n
      }),

    listLinked: (merchantId, environment, page) =>
      read("ConsumerStore.listLinked", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select l.linked_at as at, l.user_id as id, c.service_id
            from consumer_link l join consumer c on c.environment = l.environment and c.id = l.user_id
            where l.merchant_id = ${merchantId} and l.environment = ${environment}
              and (l.linked_at, l.user_id) < (${at}, ${id})
            order by l.linked_at desc, l.user_id desc limit ${limit}`,
          (row) => linkedConsumer({ userId: row.id, serviceId: row.service_id, linkedAt: row.at })
        )
      ),

    isLinked: (merchantId, environment, userId) =>
      read("ConsumerStore.isLinked", (sql) => isLinked(sql, { merchantId, environment }, userId)),

    list: (environment, page) =>
      read("ConsumerStore.list", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, created_at as at, id from consumer
            where environment = ${environment} and (created_at, id) < (${at}, ${id})
            order by created_at desc, id desc limit ${limit}`,
          (row) => consumers.parse(row.record)
        )
      )
  })

export const layer: Layer.Layer<ConsumerStore, never, Database> = Layer.effect(
  ConsumerStore,
  Effect.map(Database, make)
)
