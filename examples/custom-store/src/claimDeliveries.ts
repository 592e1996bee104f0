import type { DeliveryClaim, DueDelivery } from "@surety/core/event/DeliveryQueue"
import { DateTime } from "effect"
import type { Sql } from "./Database.ts"
import { deliveries, endpoints, events } from "./outbox.ts"
import { integer, type Row } from "./StoredRecord.ts"

/**
 * The longest due first, as many of each endpoint as it has room for: by what is with senders, and by its rate, which
 * counts what was claimed within the last second.
 */
const due = (sql: Sql, { failing, limit, now, perEndpoint }: DeliveryClaim): ReadonlyArray<Row> => {
  const at = DateTime.formatIso(now)
  const aSecondAgo = DateTime.formatIso(DateTime.subtract(now, { seconds: 1 }))
  const isFailing = failing === undefined ? null : Number(failing)
  return sql.all`
    select d.record as delivery, d.fence, v.record as event, e.record as endpoint
    from (
      select *, row_number() over (partition by endpoint_id order by next_attempt_at, id) as place
      from delivery
      where status = 'PENDING' and next_attempt_at <= ${at} and (leased_until is null or leased_until <= ${at})
    ) d
    join webhook_endpoint e on e.id = d.endpoint_id
    join event v on v.id = d.event_id
    where e.status = 'ENABLED' and (${isFailing} is null or (e.failing_since is not null) = ${isFailing})
      and d.place <= ${perEndpoint}
        - (select count(*) from delivery b where b.endpoint_id = e.id and b.leased_until > ${at})
      and (e.max_per_second is null or d.place <= e.max_per_second
        - (select count(*) from endpoint_claim c where c.endpoint_id = e.id and c.at > ${aSecondAgo}))
    order by d.next_attempt_at, d.id
    limit ${limit}`
}

/** Notes the claim for the endpoint's rate, and forgets those that no longer count. */
const countClaim = (sql: Sql, endpointId: string, now: DateTime.Utc): void => {
  const aSecondAgo = DateTime.formatIso(DateTime.subtract(now, { seconds: 1 }))
  sql.run`delete from endpoint_claim where endpoint_id = ${endpointId} and at <= ${aSecondAgo}`
  sql.run`insert into endpoint_claim (endpoint_id, at) values (${endpointId}, ${DateTime.formatIso(now)})`
}

/** Takes due deliveries for the caller alone. */
export const claimDeliveries = (sql: Sql, claim: DeliveryClaim): ReadonlyArray<DueDelivery> =>
  due(sql, claim).map((row) => {
    const delivery = deliveries.parse(row.delivery)
    const endpoint = endpoints.parse(row.endpoint)
    const fence = Number(integer(row.fence)) + 1
    sql.run`
      update delivery set fence = ${fence}, leased_until = ${DateTime.formatIso(claim.leaseUntil)}
      where id = ${delivery.id}`
    if (endpoint.maxPerSecond !== undefined) countClaim(sql, endpoint.id, claim.now)
    return { delivery, event: events.parse(row.event), endpoint, fence }
  })
