import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Duration, Effect } from "effect"
import type { Database } from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"
import * as PgArray from "../sql/PgArray.js"
import * as IdentityReadRow from "./IdentityReadRow.js"

/** Maximum time by which a read's id precedes its `read_at`. Processes' clocks differ, and ids are created first. */
const idsBefore = Duration.toMillis(Duration.hours(1))

/**
 * Builds `ConsentLog.lastReads`. For each grant, it scans an index of the person's reads by the merchant, newest first.
 * The scan ends at the first read under the grant, or at the time when the grant was given.
 */
export const makeLastReads = (database: Database): Pick<ConsentLog["Service"], "lastReads"> => {
  const { name, sql, verb } = database
  return {
    lastReads: Effect.fn("PgConsentLog.lastReads")(function* (grants) {
      if (grants.length === 0) return []
      const ids = PgArray.uuids(grants.map(({ id }) => toUuid(id)))
      const since = grants.map(({ grantedAt }) => firstUuidAt(DateTime.toEpochMillis(grantedAt) - idsBefore))
      const rows = yield* sql`
        select g.id as "grantId", found.*
        from unnest(${ids}, ${PgArray.uuids(since)}) asked (id, since)
        join ${name("consent_grant")} g on g.id = asked.id
        cross join lateral (
          select ${sql.literal(IdentityReadRow.columns)} from ${name("identity_read")} i
          where i.user_id = g.user_id and i.merchant_id = g.merchant_id and i.environment = g.environment
            and i.id >= asked.since and i.read_at >= g.granted_at
            and i.fields && array_append(g.fields, ${serviceIdField}::text)
          order by i.id desc limit 1
        ) found`
      return yield* IdentityReadRow.decodeLast(rows)
    }, verb("ConsentLog.lastReads"))
  }
}
