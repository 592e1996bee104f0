import type { PgClient } from "@effect/sql-pg/PgClient"
import { ConsentUpkeep, type NotificationClaim } from "@surety/core/consent/ConsentUpkeep"
import { type DataRequestId, toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as DataRequestRow from "./DataRequestRow.js"

const decodeRequestIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Column.dataRequestId })))
const decodeGrantIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Column.grantId })))

export const layer: Layer.Layer<ConsentUpkeep, never, PgClient> = Layer.effect(
  ConsentUpkeep,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const requests = name("data_request")
    const keys = name("data_request_key")

    const lapsed = Effect.fn("PgConsentUpkeep.lapsed")(function* (now: DateTime.Utc, limit: number) {
      const at = DateTime.toDate(now)
      const lapsedRequests = yield* sql`
        select id from ${requests} where status = 'PENDING' and expires_at <= ${at} order by expires_at, id limit ${limit}`
      const lapsedGrants = yield* sql`
        select id from ${name("consent_grant")} where status = 'ACTIVE' and expires_at <= ${at}
        order by expires_at, id limit ${limit}`
      return {
        requests: (yield* decodeRequestIds(lapsedRequests)).map(({ id }) => id),
        grants: (yield* decodeGrantIds(lapsedGrants)).map(({ id }) => id)
      }
    }, verb("ConsentUpkeep.lapsed"))

    // A check constraint allows `notify_at` only on pending requests. Repeating that condition here would mislead the
    // planner: it assumes that the two conditions are independent and would sort all due rows.
    const claimNotifications = Effect.fn("PgConsentUpkeep.claimNotifications")(function* ({
      againAt,
      id,
      limit,
      now
    }: NotificationClaim) {
      const at = DateTime.toDate(now)
      const rows = yield* sql`
        with due as materialized (
          select d.id, d.merchant_id, d.environment, d.notify_at as due_at from ${requests} d
          where d.notify_at <= ${at} and d.expires_at > ${at}
            ${id === undefined ? sql`` : sql`and d.id = ${toUuid(id)}`}
          order by d.notify_at, d.id limit ${limit}
          for no key update of d skip locked
        ),
        claimed as (
          update ${requests} r set notify_at = ${DateTime.toDate(againAt)}
          from due d where r.id = d.id and r.merchant_id = d.merchant_id and r.environment = d.environment
          returning r.*, d.due_at
        )
        select ${DataRequestRow.linkedColumnsOf(database)}
        from claimed r join ${name("merchant")} m on m.id = r.merchant_id
        order by r.due_at, r.id`
      return yield* DataRequestRow.decodeClaimed(rows)
    }, verb("ConsentUpkeep.claimNotifications"))

    const noticeDueAt = (id: DataRequestId, at: DateTime.Utc | undefined) => sql`
      update ${requests} set notify_at = ${at === undefined ? null : DateTime.toDate(at)}
      where id = ${toUuid(id)} and notify_at is not null`

    const recordNotified = Effect.fn("PgConsentUpkeep.recordNotified")(function* (
      id: DataRequestId,
      remindAt?: DateTime.Utc
    ) {
      yield* noticeDueAt(id, remindAt)
    }, verb("ConsentUpkeep.recordNotified"))

    const putOffNotification = Effect.fn("PgConsentUpkeep.putOffNotification")(function* (
      id: DataRequestId,
      at: DateTime.Utc
    ) {
      yield* noticeDueAt(id, at)
    }, verb("ConsentUpkeep.putOffNotification"))

    const forgetAnswers = Effect.fn("PgConsentUpkeep.forgetAnswers")(function* (
      madeBefore: DateTime.Utc,
      limit: number
    ) {
      const rows = yield* sql`
        with old as materialized (
          select o.id, o.merchant_id, o.environment from ${requests} o
          where o.answer is not null and o.status <> 'PENDING'
            and o.created_at < ${DateTime.toDate(madeBefore)}
            and not exists (
              select 1 from ${keys} k where k.data_request_id = o.id and k.kept_since >= ${DateTime.toDate(madeBefore)}
            )
          order by o.created_at, o.id limit ${limit}
          for no key update of o skip locked
        ),
        freed as (delete from ${keys} k using old o where k.data_request_id = o.id)
        update ${requests} r
        set answer = null, token_hash = null, link_key_id = null, link_sealed = null
        from old o where r.id = o.id and r.merchant_id = o.merchant_id and r.environment = o.environment
        returning 1`
      return rows.length
    }, verb("ConsentUpkeep.forgetAnswers"))

    return ConsentUpkeep.of({ lapsed, claimNotifications, recordNotified, putOffNotification, forgetAnswers })
  })
)
