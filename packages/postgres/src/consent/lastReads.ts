import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Duration, Effect } from "effect"
import type { Database } from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"
import * as PgArray from "../sql/PgArray.js"
import * as IdentityReadRow from "./IdentityReadRow.js"

/** How much earlier than its `read_at` a read's id may be. Processes' clocks differ, and an id is drawn first. */
const idsBefore = Duration.toMillis(Duration.hours(1))

/**
 * Builds `ConsentLog.lastReads`. For each grant it walks back over the person's reads by the merchant, by an index, to
 * the first that is under the grant, and not past the time at which the grant was given.
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
