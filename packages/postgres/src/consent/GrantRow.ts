import { type Grant, GrantOrigin, GrantStatus } from "@surety/core/consent/grant/Grant"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { type EventId, toUuid, UserId } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"
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
    revocationReason: Column.nullable(Schema.String)
  })

const GrantRow = rowWith(Column.time)

/** The row inside JSON. */
const JsonGrantRow = rowWith(Column.jsonTime)

/** What to select of a grant `g`. */
export const columns = `g.id, g.merchant_id as "merchantId", g.environment, g.user_id as "userId",
  g.service_id as "serviceId", g.fields, g.purpose, g.origin, g.data_request_id as "dataRequestId",
  g.granted_by_kind as "grantedByKind", g.granted_by_name as "grantedByName", g.status, g.granted_at as "grantedAt",
  g.expires_at as "expiresAt", g.revoked_at as "revokedAt", g.revoked_by_kind as "revokedByKind",
  g.revoked_by_name as "revokedByName", g.revocation_reason as "revocationReason"`

const grantOf = ({
  grantedByKind,
  grantedByName,
  revokedByKind,
  revokedByName,
  ...row
}: typeof GrantRow.Type): Grant => ({
  ...row,
  grantedBy: Actor.actorOf(grantedByKind, grantedByName),
  ...(revokedByKind === undefined ? {} : { revokedBy: Actor.actorOf(revokedByKind, revokedByName) })
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(GrantRow))
const decodeJsonRows = Schema.decodeUnknownEffect(Schema.Array(JsonGrantRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Grant>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(grantOf))

/** Reads what `jsonOf` selects. */
export const decodeJson = (rows: unknown): Effect.Effect<ReadonlyArray<Grant>, Schema.SchemaError> =>
  Effect.map(decodeJsonRows(rows), (decoded) => decoded.map(grantOf))

/** The grants `g` of which `condition` is true, as one JSON value. */
export const jsonOf = ({ name, sql }: Database, condition: Fragment): Fragment => sql`(
  select coalesce(jsonb_agg(to_jsonb(found)), '[]')
  from (select ${sql.literal(columns)} from ${name("consent_grant")} g where ${condition}) found
)`

const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

/** Stores the grant, with the event that tells of it, once `when` has a row. */
export const insertWhen = (
  { name, sql }: Database,
  grant: Grant,
  eventId: EventId | undefined,
  when: Fragment
): Fragment => sql`
  insert into ${name("consent_grant")} (
    id, merchant_id, environment, user_id, service_id, fields, purpose, origin, data_request_id, granted_by_kind,
    granted_by_name, status, granted_at, expires_at, revoked_at, revoked_by_kind, revoked_by_name, revocation_reason,
    event_id
  )
  select ${toUuid(grant.id)}::uuid, ${toUuid(grant.merchantId)}::uuid, ${grant.environment}::text,
    ${grant.userId}::text, ${grant.serviceId}::text, ${PgArray.texts(grant.fields)}, ${grant.purpose}::text,
    ${grant.origin}::text, ${grant.dataRequestId === undefined ? null : toUuid(grant.dataRequestId)}::uuid,
    ${grant.grantedBy.kind}::text, ${grant.grantedBy.name ?? null}::text, ${grant.status}::text,
    ${DateTime.toDate(grant.grantedAt)}::timestamptz, ${DateTime.toDate(grant.expiresAt)}::timestamptz,
    ${dateOf(grant.revokedAt)}::timestamptz, ${grant.revokedBy?.kind ?? null}::text,
    ${grant.revokedBy?.name ?? null}::text, ${grant.revocationReason ?? null}::text, ${eventId === undefined ? null : toUuid(eventId)}::uuid
  from ${when}
  returning 1`
