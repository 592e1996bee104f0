import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Consumer, ConsumerLink, LinkedConsumer } from "@surety/core/consumer/Consumer"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { type MerchantId, toUuid, UserId } from "@surety/core/Ids"
import { Array as Arr, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { outcomeWith, storing } from "../event/appendEvents.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, cursorText, moment, pageOfRows } from "../sql/listCursor.js"
import * as PgArray from "../sql/PgArray.js"
import { consumerColumns, decodeConsumers } from "./ConsumerRow.js"
import { isLinked as isLinkedTo } from "./isLinked.js"

const decodeLinked: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<LinkedConsumer>, Schema.SchemaError> =
  Schema.decodeUnknownEffect(
    Schema.Array(Schema.Struct({ userId: UserId, serviceId: Column.consumerId, linkedAt: Column.time }))
  )

const decodeOutcomes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ isNew: Schema.Boolean })))

const textOf = (value: Redacted.Redacted<string> | undefined): string | null =>
  value === undefined ? null : Redacted.value(value)

const cursors = cursorCodec(Schema.Tuple([moment, cursorText]))

export const layer: Layer.Layer<ConsumerStore, never, PgClient | DeliverySignal> = Layer.effect(
  ConsumerStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, sql, verb } = database
    const signal = yield* DeliverySignal
    const consumers = name("consumer")
    const links = name("consumer_link")

    const insert = Effect.fn("PgConsumerStore.insert")(function* (
      consumer: Consumer,
      linked: ConsumerLink | undefined
    ) {
      const rows = yield* sql`
        with stored as (
          insert into ${consumers} ${sql.insert({
            environment: consumer.environment,
            id: consumer.userId,
            service_id: consumer.serviceId,
            external_id: consumer.externalId ?? null,
            display_name: textOf(consumer.displayName),
            country: consumer.country ?? null,
            email: textOf(consumer.email),
            phone_verified: consumer.phoneVerified,
            kyc_status: consumer.kycStatus ?? null,
            kyc_tier: consumer.kycTier ?? null,
            ask_limits: consumer.askLimits ?? false,
            created_at: DateTime.toDate(consumer.createdAt)
          })}
          on conflict do nothing
          returning 1
        )${
          linked === undefined
            ? sql``
            : sql`,
        linked as (
          insert into ${links} (merchant_id, environment, user_id, created_at)
          select ${toUuid(linked.merchantId)}::uuid, ${linked.environment}::text, ${linked.userId}::text,
            ${DateTime.toDate(linked.createdAt)}::timestamptz
          from stored
        )`
        }
        select 1 from stored`
      return rows.length > 0
    }, verb("ConsumerStore.insert"))

    const findByServiceId = Effect.fn("PgConsumerStore.findByServiceId")(function* (
      environment: Environment,
      serviceId: ConsumerId
    ) {
      const rows = yield* sql`
        select ${sql.literal(consumerColumns)} from ${consumers} c
        where c.service_id = ${serviceId} and c.environment = ${environment}`
      return Arr.head(yield* decodeConsumers(rows))
    }, verb("ConsumerStore.findByServiceId"))

    // Locks the person, so that no erasure can commit between the read and the link.
    const link = Effect.fn("PgConsumerStore.link")(function* (wanted: ConsumerLink) {
      const rows = yield* sql`
        with person as materialized (
          select c.environment, c.id from ${consumers} c
          where c.environment = ${wanted.environment} and c.id = ${wanted.userId} for key share
        ),
        linked as (
          insert into ${links} (merchant_id, environment, user_id, created_at)
          select ${toUuid(wanted.merchantId)}::uuid, person.environment, person.id,
            ${DateTime.toDate(wanted.createdAt)}::timestamptz
          from person
          on conflict do nothing
          returning 1
        )
        select exists (select 1 from linked) as "isNew" from person`
      const [outcome] = yield* decodeOutcomes(rows)
      if (outcome === undefined) return "person_unknown"
      return outcome.isNew ? "linked" : "linked_before"
    }, verb("ConsumerStore.link"))

    const unlink = Effect.fn("PgConsumerStore.unlink")(function* (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) {
      const rows = yield* sql`
        delete from ${links}
        where user_id = ${userId} and merchant_id = ${toUuid(merchantId)} and environment = ${environment}
        returning 1`
      return rows.length > 0
    }, verb("ConsumerStore.unlink"))

    const listLinked: ConsumerStore["Service"]["listLinked"] = Effect.fn("PgConsumerStore.listLinked")(
      (merchantId, environment, page) =>
        pageOfRows(
          page,
          cursors,
          ({ linkedAt, userId }: LinkedConsumer) => [DateTime.toEpochMillis(linkedAt), userId] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select l.user_id as "userId", c.service_id as "serviceId", l.created_at as "linkedAt"
                from ${links} l
                join ${consumers} c on c.environment = l.environment and c.id = l.user_id
                where l.merchant_id = ${toUuid(merchantId)} and l.environment = ${environment}
                ${after === undefined ? sql`` : sql`and (l.created_at, l.user_id) < (${new Date(after[0])}, ${after[1]})`}
                order by l.created_at desc, l.user_id desc limit ${limit}`,
              decodeLinked
            )
        ),
      verb("ConsumerStore.listLinked")
    )

    const isLinked = Effect.fn("PgConsumerStore.isLinked")(function* (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) {
      return (yield* sql`select 1 where ${isLinkedTo(database, { merchantId, environment }, userId)}`).length > 0
    }, verb("ConsumerStore.isLinked"))

    const list: ConsumerStore["Service"]["list"] = Effect.fn("PgConsumerStore.list")(
      (environment, page, { email, externalId, userId } = {}) =>
        pageOfRows(
          page,
          cursors,
          ({ createdAt, userId }: Consumer) => [DateTime.toEpochMillis(createdAt), userId] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(consumerColumns)} from ${consumers} c
                where ${environmentIs("c", environment)} and c.service_id is not null
                ${externalId === undefined ? sql`` : sql`and c.external_id = ${externalId}`}
                ${userId === undefined ? sql`` : sql`and c.id = ${userId}`}
                ${email === undefined ? sql`` : sql`and lower(c.email) = lower(${Redacted.value(email)})`}
                ${after === undefined ? sql`` : sql`and (c.created_at, c.id) < (${new Date(after[0])}, ${after[1]})`}
                order by c.created_at desc, c.id desc limit ${limit}`,
              decodeConsumers
            )
        ),
      verb("ConsumerStore.list")
    )

    // Locks the person, so that the next statement misses no grant. A new grant's foreign key waits for this lock. A
    // grant committed before the lock is visible to that statement.
    const change: ConsumerStore["Service"]["change"] = Effect.fn("PgConsumerStore.change")(function* (
      before,
      after,
      events,
      grants
    ) {
      const ids = PgArray.uuids(grants.map(({ id }) => toUuid(id)))
      const person = sql`
        select 1 from ${consumers} c where c.id = ${before.userId} and c.environment = ${before.environment} for update`
      const statement = sql`
        with stored as (
          update ${consumers} set external_id = ${after.externalId ?? null}, display_name = ${textOf(after.displayName)},
            country = ${after.country ?? null}, email = ${textOf(after.email)}, phone_verified = ${after.phoneVerified}
          where id = ${before.userId} and environment = ${before.environment} and phone_verified = ${before.phoneVerified}
            and external_id is not distinct from ${before.externalId ?? null}::text
            and display_name is not distinct from ${textOf(before.displayName)}::text
            and country is not distinct from ${before.country ?? null}::text
            and email is not distinct from ${textOf(before.email)}::text
            and (
              select count(*) = ${grants.length} and coalesce(bool_and(g.id = any (${ids})), true)
              from ${name("consent_grant")} g
              where g.user_id = ${before.userId} and g.environment = ${before.environment} and g.status = 'ACTIVE'
            )
          returning 1
        )${outcomeWith(database, events)}`
      return yield* sql.withTransaction(Effect.andThen(person, storing(database, signal, statement)))
    }, verb("ConsumerStore.change"))

    return ConsumerStore.of({ insert, findByServiceId, link, unlink, listLinked, isLinked, list, change })
  })
)
