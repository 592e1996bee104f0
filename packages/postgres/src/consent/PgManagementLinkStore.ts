import type { PgClient } from "@effect/sql-pg/PgClient"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { Array as Arr, DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { insertLinkWhen } from "./commitConsents.js"

const LinkRow = Schema.Struct({
  tokenHash: ConsentTokenHash,
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  merchantId: Column.nullable(Column.merchantId),
  dataRequestId: Column.nullable(Column.dataRequestId),
  createdAt: Column.time,
  expiresAt: Column.time
})

const decode = Schema.decodeUnknownEffect(Schema.Array(LinkRow))

export const layer: Layer.Layer<ManagementLinkStore, never, PgClient> = Layer.effect(
  ManagementLinkStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const links = name("management_link")

    const keep = Effect.fn("PgManagementLinkStore.keep")(function* (link: ManagementLink) {
      // The lock on the person delays an erasure until the link exists, so that the erasure deletes it.
      const rows = yield* sql`
        with person as materialized (
          select 1 from ${name("consumer")} where environment = ${link.environment} and id = ${link.userId} for key share
        ), kept as (${insertLinkWhen(database, link, sql`person`)})
        select 1 from person`
      return rows.length > 0
    }, verb("ManagementLinkStore.keep"))

    const find = Effect.fn("PgManagementLinkStore.find")(function* (tokenHash: ConsentTokenHash) {
      const rows = yield* sql`
        select token_hash as "tokenHash", environment, user_id as "userId", service_id as "serviceId",
          merchant_id as "merchantId", data_request_id as "dataRequestId", created_at as "createdAt", expires_at as "expiresAt"
        from ${links} where token_hash = ${tokenHash}`
      return Arr.head(yield* decode(rows))
    }, verb("ManagementLinkStore.find"))

    const forget = Effect.fn("PgManagementLinkStore.forget")(function* (expiredBefore: DateTime.Utc, limit: number) {
      const rows = yield* sql`
        with old as materialized (
          select token_hash from ${links} where expires_at < ${DateTime.toDate(expiredBefore)}
          order by expires_at limit ${limit} for update skip locked
        )
        delete from ${links} l using old where l.token_hash = old.token_hash returning 1`
      return rows.length
    }, verb("ManagementLinkStore.forget"))

    return ManagementLinkStore.of({ keep, find, forget })
  })
)
