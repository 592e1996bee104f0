import type { Grant } from "@surety/core/consent/grant/Grant"
import type { IdentityReadPlan } from "@surety/core/consent/read/decideIdentityRead"
import { toUuid } from "@surety/core/Ids"
import { Schema } from "effect"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { areStillActive, type Commit, consequencesOf, dateOf, isUnrestricted } from "./commitConsents.js"

const readRow = JsonRow.tableRow("identity_read", {
  id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  environment: Schema.String,
  user_id: Schema.String,
  service_id: Schema.String,
  fields: Schema.Array(Schema.String),
  api_key_id: Schema.UndefinedOr(JsonRow.uuid),
  read_at: JsonRow.time
})

/**
 * Builds SQL that records a read. It stores nothing unless all loaded active grants are still active and the person is
 * neither restricted nor erased. If the read uses up a one-time grant, the same commit also ends that grant.
 */
export const commitRead = (
  database: Database,
  { read, used }: IdentityReadPlan,
  grants: ReadonlyArray<Grant>
): Commit => {
  const { name, sql } = database
  const active = sql`${areStillActive(database, grants)} and ${isUnrestricted(database, read)}`
  const ended =
    used &&
    sql`used as (
      update ${name("consent_grant")} g set status = ${used.grant.status}, used_at = ${dateOf(used.grant.usedAt)},
        end_event_id = ${toUuid(used.event.id)}
      where g.id = ${toUuid(used.grant.id)} and g.merchant_id = ${toUuid(used.grant.merchantId)}
        and g.environment = ${used.grant.environment} and g.status = 'ACTIVE' and ${active}
      returning 1
    ), `
  return sql`
    with ${ended ?? sql.literal("")}allowed as materialized (
      ${ended === undefined ? sql`select 1 where ${active}` : sql`select 1 from used`}
    ),
    stored as (
      ${readRow.insertWhen(
        database,
        {
          id: read.id,
          merchant_id: read.merchantId,
          environment: read.environment,
          user_id: read.userId,
          service_id: read.serviceId,
          fields: read.fields,
          api_key_id: read.apiKeyId,
          read_at: read.readAt
        },
        sql.literal("allowed")
      )}
      returning 1
    )${consequencesOf(database, used?.receipt, used === undefined ? [] : [used.event])}`
}
