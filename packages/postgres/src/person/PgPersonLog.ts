import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import { Topic } from "@surety/core/event/DomainEvent"
import { toUuid } from "@surety/core/Ids"
import type { Holdings } from "@surety/core/person/Holdings"
import { PersonLog } from "@surety/core/person/PersonLog"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import * as AskingRow from "../consent/AskingRow.js"
import * as DataRequestRow from "../consent/DataRequestRow.js"
import * as GrantRow from "../consent/GrantRow.js"
import * as IdentityReadRow from "../consent/IdentityReadRow.js"
import * as ReceiptRow from "../consent/ReceiptRow.js"
import { consumerColumns, decodeConsumers } from "../consumer/ConsumerRow.js"
import { changedPersonOf, isDetailsChange } from "../event/EventRow.js"
import * as EvidenceRow from "../kyc/EvidenceRow.js"
import * as VerificationRow from "../kyc/VerificationRow.js"
import * as PaymentRow from "../payment/PaymentRow.js"
import * as RefundRow from "../refund/RefundRow.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import * as RightsRequestRow from "./RightsRequestRow.js"

const decodeRestricted = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ restrictedAt: Column.nullable(Column.time) }))
)

const decodeLinks = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ merchantId: Column.merchantId, createdAt: Column.time }))
)

const decodeWallets = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ currency: Currency, minor: Schema.BigInt }))
)

const decodeMessages = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      eventId: Column.eventId,
      merchantId: Column.merchantId,
      topic: Topic,
      body: Schema.String,
      occurredAt: Column.time,
      delivered: Schema.Int
    })
  )
)

const cursors = cursorCodec(Schema.Tuple([moment, Column.identityReadId]))

/** An erasure clears the service id, so `holdings` finds no erased person. */
export const layer: Layer.Layer<PersonLog, never, PgClient> = Layer.effect(
  PersonLog,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, isRefundOf, name, sql, verb } = database

    /** Reads each kind of record in its own statement, so a concurrent commit may be only partly visible. */
    const holdings = Effect.fn("PgPersonLog.holdings")(function* (
      environment: Environment,
      serviceId: ConsumerId,
      atMost?: number
    ) {
      const found = yield* sql`
        select ${sql.literal(consumerColumns)}, c.restricted_at as "restrictedAt" from ${name("consumer")} c
        where c.service_id = ${serviceId} and c.environment = ${environment}`
      const [consumer] = yield* decodeConsumers(found)
      if (consumer === undefined) return Option.none<Holdings>()
      const [{ restrictedAt } = {}] = yield* decodeRestricted(found)
      const { userId } = consumer
      const theirs = (alias: string) =>
        sql`${sql.literal(alias)}.user_id = ${userId} and ${environmentIs(alias, environment)}`
      /**
       * Builds an `order by` clause that puts the oldest rows first. With `atMost`, it selects the newest rows, newest
       * first, and `told` reverses them.
       */
      const inOrder = (...by: ReadonlyArray<string>) =>
        atMost === undefined
          ? sql`order by ${sql.literal(by.join(", "))}`
          : sql`order by ${sql.literal(by.map((column) => `${column} desc`).join(", "))} limit ${atMost}`
      const told =
        <A, E>(decode: (rows: ReadonlyArray<object>) => Effect.Effect<ReadonlyArray<A>, E>) =>
        (rows: ReadonlyArray<object>) =>
          Effect.map(decode(rows), (records) => (atMost === undefined ? records : records.toReversed()))
      const rowsOf = (columns: string, table: string, alias: string, ...by: ReadonlyArray<string>) => sql`
        select ${sql.literal(columns)} from ${name(table)} ${sql.literal(alias)}
        where ${theirs(alias)} ${inOrder(...by)}`
      const ofRefund = isRefundOf("r", "p")
      const payments = sql`(
        select p.* from ${name("payment")} p where ${theirs("p")} ${inOrder("p.created_at", "p.id")}
      ) p`
      const eventsOf = (
        table: "consent_grant" | "data_request" | "verification",
        column: "event_id" | "end_event_id"
      ) => sql`(
        select x.${sql.literal(column)} as event_id, x.merchant_id from ${name(table)} x
        where ${theirs("x")} ${inOrder("x.id")}
      )`
      const links = yield* Effect.flatMap(
        rowsOf(`l.merchant_id as "merchantId", l.created_at as "createdAt"`, "consumer_link", "l", "l.created_at"),
        told(decodeLinks)
      )
      const blocks = yield* Effect.flatMap(
        sql`
          select ${sql.literal(AskingRow.blockColumns)} from ${name("asking")} a
          join ${name("consumer")} c on c.id = a.user_id and c.environment = a.environment
          where ${theirs("a")} and a.blocked_at is not null ${inOrder("a.blocked_at")}`,
        told(AskingRow.decodeBlocks)
      )
      const held: Holdings = {
        consumer,
        ...(restrictedAt === undefined ? {} : { restrictedAt }),
        links: links.map((link) => ({ ...link, environment, userId })),
        dataRequests: yield* Effect.flatMap(
          sql`
            select ${DataRequestRow.columnsOf(database)} from ${name("data_request")} r
            where ${theirs("r")} ${inOrder("r.id")}`,
          told(DataRequestRow.decode)
        ),
        grants: yield* Effect.flatMap(rowsOf(GrantRow.columns, "consent_grant", "g", "g.id"), told(GrantRow.decode)),
        askingBlocks: blocks,
        reads: yield* Effect.flatMap(
          rowsOf(IdentityReadRow.columns, "identity_read", "i", "i.id"),
          told(IdentityReadRow.decode)
        ),
        receipts: yield* Effect.flatMap(
          rowsOf(ReceiptRow.columns, "consent_receipt", "p", "p.id"),
          told(ReceiptRow.decode)
        ),
        verifications: yield* Effect.flatMap(
          rowsOf(VerificationRow.columns, "verification", "v", "v.id"),
          told(VerificationRow.decode)
        ),
        evidence: yield* Effect.flatMap(
          rowsOf(EvidenceRow.columns, "kyc_evidence", "e", "e.proved_at", "e.verification_id"),
          told(EvidenceRow.decode)
        ),
        payments: yield* Effect.flatMap(
          rowsOf(PaymentRow.columns, "payment", "p", "p.created_at", "p.id"),
          told(PaymentRow.decode)
        ),
        refunds: yield* Effect.flatMap(
          sql`
            select ${sql.literal(RefundRow.columns)} from ${payments}
            join ${name("refund")} r on ${ofRefund} ${inOrder("r.id")}`,
          told(RefundRow.decode)
        ),
        wallets: yield* Effect.flatMap(
          sql`
            select a.currency, sum(a.balance_minor)::bigint as minor from ${name("account")} a where ${theirs("a")}
            group by a.currency order by min(a.id)`,
          decodeWallets
        ),
        messages: yield* Effect.flatMap(
          sql`
            select v.id as "eventId", v.merchant_id as "merchantId", v.topic, v.body, v.occurred_at as "occurredAt",
              (
                select count(*)::int from ${name("delivery")} d where d.event_id = v.id and d.status = 'DELIVERED'
              ) as delivered
            from (
              select p.event_id, p.merchant_id from ${payments}
              union all
              select r.event_id, r.merchant_id from ${payments} join ${name("refund")} r on ${ofRefund}
              union all
              ${eventsOf("consent_grant", "event_id")}
              union all
              ${eventsOf("consent_grant", "end_event_id")}
              union all
              ${eventsOf("data_request", "event_id")}
              union all
              ${eventsOf("verification", "event_id")}
              union all
              (
                select c.id, c.merchant_id from ${name("event")} c
                where ${sql.literal(isDetailsChange("c"))} and ${environmentIs("c", environment)}
                  and ${sql.literal(changedPersonOf("c"))} = ${serviceId} ${inOrder("c.id")}
              )
            ) about
            join ${name("event")} v
              on v.id = about.event_id and v.merchant_id = about.merchant_id and v.environment = ${environment}
            ${inOrder("v.id")}`,
          told(decodeMessages)
        ),
        rightsRequests: yield* Effect.flatMap(
          rowsOf(RightsRequestRow.columns, "rights_request", "q", "q.asked_at", "q.id"),
          told(RightsRequestRow.decode)
        )
      }
      return Option.some(held)
    }, verb("PersonLog.holdings"))

    const reads: PersonLog["Service"]["reads"] = Effect.fn("PgPersonLog.reads")(
      ({ apiKeyId, environment, merchantId, since, until }, page) =>
        pageOfRows(
          page,
          cursors,
          ({ id, readAt }: IdentityRead) => [DateTime.toEpochMillis(readAt), id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(IdentityReadRow.columns)} from ${name("identity_read")} i
                where ${environmentIs("i", environment)} and i.read_at >= ${DateTime.toDate(since)}
                ${until === undefined ? sql`` : sql`and i.read_at < ${DateTime.toDate(until)}`}
                ${merchantId === undefined ? sql`` : sql`and i.merchant_id = ${toUuid(merchantId)}`}
                ${apiKeyId === undefined ? sql`` : sql`and i.api_key_id = ${toUuid(apiKeyId)}`}
                ${after === undefined ? sql`` : sql`and (i.read_at, i.id) < (${new Date(after[0])}, ${toUuid(after[1])})`}
                order by i.read_at desc, i.id desc limit ${limit}`,
              IdentityReadRow.decode
            )
        ),
      verb("PersonLog.reads")
    )

    return PersonLog.of({ holdings, reads })
  })
)
