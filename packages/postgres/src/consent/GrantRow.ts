import { type Grant, GrantOrigin, GrantStatus } from "@surety/core/consent/grant/Grant"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { type DateTime, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as Actor from "./ConsentActorColumns.js"

const rowWith = <E>(time: Schema.Codec<DateTime.Utc, E>) =>
  Schema.Struct({
    id: Column.grantId,
    merchantId: Column.merchantId,
    environment: Environment,
    userId: UserId,
    serviceId: Column.consumerId,
    fields: Schema.Array(IdentityField),
    purpose: Schema.String,
    origin: GrantOrigin,
    dataRequestId: Column.nullable(Column.dataRequestId),
    grantedByKind: Actor.kind,
    grantedByName: Actor.name,
    status: GrantStatus,
    grantedAt: time,
    expiresAt: time,
    revokedAt: Column.nullable(time),
    revokedByKind: Column.nullable(Actor.kind),
    revokedByName: Actor.name,
    revocationReason: Column.nullable(Schema.String),
    oneTime: Schema.Boolean,
    usedAt: Column.nullable(time)
  })

const GrantRow = rowWith(Column.time)

const JsonGrantRow = rowWith(Column.jsonTime)

export const columns = `g.id, g.merchant_id as "merchantId", g.environment, g.user_id as "userId",
  g.service_id as "serviceId", g.fields, g.purpose, g.origin, g.data_request_id as "dataRequestId",
  g.granted_by_kind as "grantedByKind", g.granted_by_name as "grantedByName", g.status, g.granted_at as "grantedAt",
  g.expires_at as "expiresAt", g.revoked_at as "revokedAt", g.revoked_by_kind as "revokedByKind",
  g.revoked_by_name as "revokedByName", g.revocation_reason as "revocationReason", g.one_time as "oneTime",
  g.used_at as "usedAt"`

const grantOf = ({
  grantedByKind,
  grantedByName,
  oneTime,
  revokedByKind,
  revokedByName,
  ...row
}: typeof GrantRow.Type): Grant => ({
  ...row,
  grantedBy: Actor.actorOf(grantedByKind, grantedByName),
  ...(oneTime ? { oneTime } : {}),
  ...(revokedByKind === undefined ? {} : { revokedBy: Actor.actorOf(revokedByKind, revokedByName) })
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(GrantRow))
const decodeJsonRows = Schema.decodeUnknownEffect(Schema.Array(JsonGrantRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Grant>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(grantOf))

export const decodeJson = (rows: unknown): Effect.Effect<ReadonlyArray<Grant>, Schema.SchemaError> =>
  Effect.map(decodeJsonRows(rows), (decoded) => decoded.map(grantOf))

/** Builds SQL that selects the grants `g` that match `condition`, as one JSON value. */
export const jsonOf = ({ name, sql }: Database, condition: Fragment): Fragment => sql`(
  select coalesce(jsonb_agg(to_jsonb(found)), '[]')
  from (select ${sql.literal(columns)} from ${name("consent_grant")} g where ${condition}) found
)`
