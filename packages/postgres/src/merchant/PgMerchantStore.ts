import type { PgClient } from "@effect/sql-pg/PgClient"
import { BusinessCode } from "@surety/core/consumer/ConsumerId"
import type { PlatformEvent } from "@surety/core/event/PlatformEvent"
import { toUuid } from "@surety/core/Ids"
import {
  type Merchant,
  type MerchantSettings,
  MerchantStatus,
  type MerchantStatusChange
} from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Array as Arr, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { outcomeWith, storingUndelivered } from "../event/appendEvents.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, pageOfRows } from "../sql/listCursor.js"
import * as PgArray from "../sql/PgArray.js"

const MerchantRow = Schema.Struct({
  id: Column.merchantId,
  businessCode: BusinessCode,
  externalId: Column.nullable(Schema.String),
  name: Schema.String,
  legalName: Schema.String,
  contactName: Column.personal,
  contactEmail: Column.personal,
  supportEmail: Column.nullable(Schema.String),
  websiteUrl: Column.nullable(Schema.String),
  country: Schema.String,
  businessType: Schema.String,
  registrationNumber: Column.nullable(Schema.String),
  refundsEnabled: Schema.Boolean,
  settlementOverdraft: Schema.Boolean,
  purpose: Column.nullable(Schema.String),
  returnUrls: Schema.Array(Schema.String),
  status: MerchantStatus,
  createdAt: Column.time,
  updatedAt: Column.time
})

const merchantColumns = `m.id, m.business_code as "businessCode", m.external_id as "externalId", m.name, m.legal_name as "legalName",
  m.contact_name as "contactName", m.contact_email as "contactEmail", m.support_email as "supportEmail",
  m.website_url as "websiteUrl", m.country, m.business_type as "businessType",
  m.registration_number as "registrationNumber", m.refunds_enabled as "refundsEnabled",
  m.settlement_overdraft as "settlementOverdraft", m.purpose, m.return_urls as "returnUrls", m.status, m.created_at as "createdAt", m.updated_at as "updatedAt"`

const merchantOf = ({
  businessCode,
  createdAt,
  externalId,
  id,
  purpose,
  refundsEnabled,
  returnUrls,
  settlementOverdraft,
  status,
  updatedAt,
  ...profile
}: typeof MerchantRow.Type): Merchant => ({
  id,
  businessCode,
  ...(externalId === undefined ? {} : { externalId }),
  profile,
  settings: {
    refundsEnabled,
    settlementOverdraft,
    ...(purpose === undefined ? {} : { purpose }),
    ...(returnUrls.length === 0 ? {} : { returnUrls })
  },
  status,
  createdAt,
  updatedAt
})

const decodeMerchants = (rows: ReadonlyArray<unknown>) =>
  Effect.map(Schema.decodeUnknownEffect(Schema.Array(MerchantRow))(rows), Arr.map(merchantOf))

const ChangeRow = Schema.Struct({
  merchantId: Column.merchantId,
  from: Column.nullable(MerchantStatus),
  to: MerchantStatus,
  actor: Schema.String,
  reason: Column.nullable(Schema.String),
  at: Column.time
})

const decodeChanges = Schema.decodeUnknownEffect(Schema.Array(ChangeRow))

const cursors = cursorCodec(Schema.Tuple([Column.merchantId]))

/**
 * Provides `MerchantStore` on PostgreSQL. A status change, its history row and its event, if any, are stored in one
 * statement.
 */
export const layer: Layer.Layer<MerchantStore, never, PgClient> = Layer.effect(
  MerchantStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const told = (event: PlatformEvent | undefined) => outcomeWith(database, event === undefined ? [] : [event])
    const merchants = name("merchant")
    const changes = name("merchant_status_change")

    const insert = Effect.fn("PgMerchantStore.insert")(function* (
      merchant: Merchant,
      change: MerchantStatusChange,
      event?: PlatformEvent
    ) {
      const { profile, settings } = merchant
      const statement = sql`
        with stored as (
          insert into ${merchants} ${sql.insert({
            id: toUuid(merchant.id),
            business_code: merchant.businessCode,
            external_id: merchant.externalId ?? null,
            name: profile.name,
            legal_name: profile.legalName,
            contact_name: Redacted.value(profile.contactName),
            contact_email: Redacted.value(profile.contactEmail),
            support_email: profile.supportEmail ?? null,
            website_url: profile.websiteUrl ?? null,
            country: profile.country,
            business_type: profile.businessType,
            registration_number: profile.registrationNumber ?? null,
            refunds_enabled: settings.refundsEnabled,
            settlement_overdraft: settings.settlementOverdraft,
            purpose: settings.purpose ?? null,
            return_urls: PgArray.texts(settings.returnUrls ?? []),
            status: merchant.status,
            created_at: DateTime.toDate(merchant.createdAt),
            updated_at: DateTime.toDate(merchant.updatedAt)
          })}
          on conflict do nothing
          returning id
        ),
        changed as (
          insert into ${changes} (merchant_id, from_status, to_status, actor, reason, at)
          select id, ${change.from ?? null}::text, ${change.to}::text, ${change.actor}::text,
            ${change.reason ?? null}::text, ${DateTime.toDate(change.at)}::timestamptz
          from stored
        )${told(event)}`
      return yield* storingUndelivered(statement)
    }, verb("MerchantStore.insert"))

    const find = Effect.fn("PgMerchantStore.find")(function* (id: Merchant["id"]) {
      const rows = yield* sql`select ${sql.literal(merchantColumns)} from ${merchants} m where m.id = ${toUuid(id)}`
      return Arr.head(yield* decodeMerchants(rows))
    }, verb("MerchantStore.find"))

    const findByExternalId = Effect.fn("PgMerchantStore.findByExternalId")(function* (externalId: string) {
      const rows = yield* sql`
        select ${sql.literal(merchantColumns)} from ${merchants} m where m.external_id = ${externalId}`
      return Arr.head(yield* decodeMerchants(rows))
    }, verb("MerchantStore.findByExternalId"))

    const transition = Effect.fn("PgMerchantStore.transition")(function* (
      change: MerchantStatusChange,
      event?: PlatformEvent
    ) {
      const at = DateTime.toDate(change.at)
      const statement = sql`
        with stored as (
          update ${merchants} set status = ${change.to}, updated_at = ${at}
          where id = ${toUuid(change.merchantId)} and status = ${change.from ?? null}
          returning id
        ),
        changed as (
          insert into ${changes} (merchant_id, from_status, to_status, actor, reason, at)
          select id, ${change.from ?? null}::text, ${change.to}::text, ${change.actor}::text,
            ${change.reason ?? null}::text, ${at}::timestamptz
          from stored
        )${told(event)}`
      return yield* storingUndelivered(statement)
    }, verb("MerchantStore.transition"))

    const saveSettings = Effect.fn("PgMerchantStore.saveSettings")(function* (
      id: Merchant["id"],
      { from, to }: { readonly from: MerchantSettings; readonly to: MerchantSettings },
      at: DateTime.Utc
    ) {
      const rows = yield* sql`
        update ${merchants} set refunds_enabled = ${to.refundsEnabled}, settlement_overdraft = ${to.settlementOverdraft},
          purpose = ${to.purpose ?? null}, return_urls = ${PgArray.texts(to.returnUrls ?? [])},
          updated_at = ${DateTime.toDate(at)}
        where id = ${toUuid(id)} and refunds_enabled = ${from.refundsEnabled}
          and settlement_overdraft = ${from.settlementOverdraft} and purpose is not distinct from ${from.purpose ?? null}
          and return_urls = ${PgArray.texts(from.returnUrls ?? [])}
        returning 1`
      return rows.length > 0
    }, verb("MerchantStore.saveSettings"))

    const history = Effect.fn("PgMerchantStore.history")(function* (id: Merchant["id"]) {
      const rows = yield* sql`
        select merchant_id as "merchantId", from_status as "from", to_status as "to", actor, reason, at
        from ${changes} where merchant_id = ${toUuid(id)} order by id`
      return yield* decodeChanges(rows)
    }, verb("MerchantStore.history"))

    const list: MerchantStore["Service"]["list"] = Effect.fn("PgMerchantStore.list")(
      (page, status) =>
        pageOfRows(
          page,
          cursors,
          (merchant: Merchant) => [merchant.id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(merchantColumns)} from ${merchants} m where true
                ${status === undefined ? sql`` : sql`and m.status = ${sql.literal(`'${status}'`)}`}
                ${after === undefined ? sql`` : sql`and m.id < ${toUuid(after[0])}`}
                order by m.id desc limit ${limit}`,
              decodeMerchants
            )
        ),
      verb("MerchantStore.list")
    )

    return MerchantStore.of({ insert, find, findByExternalId, transition, saveSettings, history, list })
  })
)
