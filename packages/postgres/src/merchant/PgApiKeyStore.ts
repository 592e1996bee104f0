import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { type ApiKeyId, type MerchantId, toUuid } from "@surety/core/Ids"
import { type ApiKey, ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore, type IssueOutcome, type KeyRotation, type RotateOutcome } from "@surety/core/merchant/ApiKeyStore"
import { KeyScope } from "@surety/core/merchant/KeyScope"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Array as Arr, DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"

const KeyRow = Schema.Struct({
  id: Column.apiKeyId,
  merchantId: Column.merchantId,
  environment: Environment,
  hash: ApiKeyHash,
  last4: Schema.String,
  createdAt: Column.time,
  revokedAt: Column.nullable(Column.time),
  name: Column.nullable(Schema.String),
  scopes: Column.nullable(Schema.Array(KeyScope)),
  expiresAt: Column.nullable(Column.time),
  lastUsedAt: Column.nullable(Column.time)
})

const keyColumns = `k.id, k.merchant_id as "merchantId", k.environment, k.hash, k.last4, k.created_at as "createdAt",
  k.revoked_at as "revokedAt", k.name, k.scopes, k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt"`

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(KeyRow))

const HolderRow = Schema.Struct({ ...KeyRow.fields, merchantName: Schema.String, status: MerchantStatus })

const decodeHolders = Schema.decodeUnknownEffect(Schema.Array(HolderRow))

const IssueRow = Schema.Struct({ status: MerchantStatus, issued: Schema.Boolean })

const decodeIssues = Schema.decodeUnknownEffect(Schema.Array(IssueRow))

const decodeRotations = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...IssueRow.fields, found: Schema.Boolean }))
)

const decodeRevocations = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ isNew: Schema.Boolean })))

/**
 * Provides `ApiKeyStore` on PostgreSQL. Issuing and rotating check the merchant's status and insert the key in one
 * statement.
 */
export const layer: Layer.Layer<ApiKeyStore, never, PgClient> = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make
    const keys = name("api_key")

    const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

    /**
     * Builds common table expressions that insert the key if its merchant's status is one of `statuses`. `when` can add
     * a condition, starting with `and`. The shared lock waits for a concurrent status change.
     */
    const issuing = (key: ApiKey, statuses: ReadonlyArray<MerchantStatus>, when = sql``) => sql`
        holder as materialized (
          select id, status from ${name("merchant")} where id = ${toUuid(key.merchantId)} for share
        ),
        issued as (
          insert into ${keys} (id, merchant_id, environment, hash, last4, created_at, name, scopes, expires_at)
          select ${toUuid(key.id)}::uuid, id, ${key.environment}::text, ${key.hash}::text, ${key.last4}::text,
            ${DateTime.toDate(key.createdAt)}::timestamptz, ${key.name ?? null}::text,
            ${key.scopes === undefined ? sql`null::text[]` : PgArray.texts(key.scopes)},
            ${dateOf(key.expiresAt)}::timestamptz
          from holder where status = any (${PgArray.texts(statuses)}) ${when}
          returning 1
        )`

    const issue = Effect.fn("PgApiKeyStore.issue")(function* (
      key: ApiKey,
      statuses: ReadonlyArray<MerchantStatus>
    ): Effect.fn.Return<IssueOutcome, Database.InnerError> {
      const rows = yield* sql`
        with ${issuing(key, statuses)}
        select status, exists (select 1 from issued) as issued from holder`
      const [outcome] = yield* decodeIssues(rows)
      if (outcome === undefined) return { _tag: "MerchantMissing" }
      return outcome.issued ? { _tag: "Issued" } : { _tag: "StatusForbids", status: outcome.status }
    }, verb("ApiKeyStore.issue"))

    const rotate = Effect.fn("PgApiKeyStore.rotate")(function* (
      { next, replaced, until }: KeyRotation,
      statuses: ReadonlyArray<MerchantStatus>
    ): Effect.fn.Return<RotateOutcome, Database.InnerError> {
      const at = DateTime.toDate(until)
      const rows = yield* sql`
        with old as materialized (
          select k.id from ${keys} k
          where k.id = ${toUuid(replaced)} and k.merchant_id = ${toUuid(next.merchantId)}
            and k.environment = ${next.environment} and k.revoked_at is null
          for no key update
        ),
        ${issuing(next, statuses, sql`and exists (select 1 from old)`)},
        ended as (
          update ${keys} k set expires_at = least(k.expires_at, ${at}::timestamptz)
          from old, issued where k.id = old.id
        )
        select status, exists (select 1 from issued) as issued, exists (select 1 from old) as found from holder`
      const [outcome] = yield* decodeRotations(rows)
      if (outcome === undefined || !outcome.found) return { _tag: "KeyMissing" }
      return outcome.issued ? { _tag: "Issued" } : { _tag: "StatusForbids", status: outcome.status }
    }, verb("ApiKeyStore.rotate"))

    const findByHash = Effect.fn("PgApiKeyStore.findByHash")(function* (hash: ApiKeyHash) {
      const rows = yield* sql`
        select ${sql.literal(keyColumns)}, m.name as "merchantName", m.status
        from ${keys} k join ${name("merchant")} m on m.id = k.merchant_id
        where k.hash = ${hash}`
      const holders = yield* decodeHolders(rows)
      return Arr.head(holders.map(({ merchantName, status, ...key }) => ({ key, merchantName, status })))
    }, verb("ApiKeyStore.findByHash"))

    const list = Effect.fn("PgApiKeyStore.list")(function* (merchantId: MerchantId) {
      const rows = yield* sql`
        select ${sql.literal(keyColumns)} from ${keys} k where k.merchant_id = ${toUuid(merchantId)} order by k.id desc`
      return yield* decodeKeys(rows)
    }, verb("ApiKeyStore.list"))

    const revoke = Effect.fn("PgApiKeyStore.revoke")(function* (
      merchantId: MerchantId,
      id: ApiKeyId,
      at: DateTime.Utc
    ) {
      // The lock waits for a concurrent revocation, so that the key is read as the revocation leaves it.
      const rows = yield* sql`
        with found as materialized (
          select k.id, k.revoked_at is null as "isNew" from ${keys} k
          where k.id = ${toUuid(id)} and k.merchant_id = ${toUuid(merchantId)}
          for no key update
        ),
        revoked as (
          update ${keys} k set revoked_at = ${DateTime.toDate(at)} from found where k.id = found.id and found."isNew"
        )
        select "isNew" from found`
      const [outcome] = yield* decodeRevocations(rows)
      if (outcome === undefined) return "key_unknown"
      return outcome.isNew ? "revoked" : "revoked_before"
    }, verb("ApiKeyStore.revoke"))

    return ApiKeyStore.of({ issue, rotate, findByHash, list, revoke })
  })
)
