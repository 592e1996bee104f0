import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { DataRequestId, GrantId } from "@surety/core/Ids"
import { DateTime, Effect, Layer } from "effect"
import { Database, type Sql } from "./Database.ts"
import { linkedOf } from "./SqliteConsentLog.ts"
import { dataRequests, findDataRequest, saveDataRequest } from "./StoredDataRequest.ts"

/** Changes when the notice is due, unless none is due any more. */
const putOff = (sql: Sql, id: DataRequestId, notifyAt: DateTime.Utc | undefined): void => {
  const stored = findDataRequest(sql, { id, scope: undefined })
  if (stored?.notifyAt !== undefined) saveDataRequest(sql, { ...stored, notifyAt })
}

export const make = ({ read, write }: Database["Service"]): ConsentUpkeep["Service"] =>
  ConsentUpkeep.of({
    lapsed: (now, limit) =>
      read("ConsentUpkeep.lapsed", (sql) => {
        const at = DateTime.formatIso(now)
        const requests = sql.all`
          select id from data_request where status = 'PENDING' and expires_at <= ${at}
          order by expires_at, id limit ${limit}`
        const grants = sql.all`
          select id from consent_grant where status = 'ACTIVE' and expires_at <= ${at}
          order by expires_at, id limit ${limit}`
        return {
          requests: requests.map(({ id }) => DataRequestId.make(String(id))),
          grants: grants.map(({ id }) => GrantId.make(String(id)))
        }
      }),

    claimNotices: ({ againAt, id = null, limit, now }) =>
      write("ConsentUpkeep.claimNotices", (sql) => {
        const at = DateTime.formatIso(now)
        const due = dataRequests.all(sql.all`
          select record from data_request
          where notify_at <= ${at} and expires_at > ${at} and id = coalesce(${id}, id)
          order by notify_at, id limit ${limit}`)
        for (const stored of due) saveDataRequest(sql, { ...stored, notifyAt: againAt })
        return due.map((stored) => linkedOf(sql, stored))
      }),

    recordNotified: (id, remindAt) => write("ConsentUpkeep.recordNotified", (sql) => putOff(sql, id, remindAt)),

    putOffNotice: (id, at) => write("ConsentUpkeep.putOffNotice", (sql) => putOff(sql, id, at)),

    forgetAnswers: (madeBefore, limit) =>
      write("ConsentUpkeep.forgetAnswers", (sql) => {
        const old = dataRequests.all(sql.all`
          select record from data_request
          where record ->> '$.kept.answer' is not null and status <> 'PENDING'
            and created_at < ${DateTime.formatIso(madeBefore)}
            and not exists (
              select 1 from data_request_key k
              where k.data_request_id = data_request.id and k.kept_since >= ${DateTime.formatIso(madeBefore)}
            )
          order by created_at, id limit ${limit}`)
        for (const stored of old) {
          sql.run`delete from data_request_key where data_request_id = ${stored.request.id}`
          saveDataRequest(sql, { ...stored, kept: undefined, link: undefined })
        }
        return old.length
      })
  })

export const layer: Layer.Layer<ConsentUpkeep, never, Database> = Layer.effect(
  ConsentUpkeep,
  Effect.map(Database, make)
)
