/**
 * Builds SQL that selects the facts counted per hour. A row has `environment`, `fact`, `currency` and
 * `amount_minor`. The row's time is in its UUIDv7 `id`, or in `started_at` for a delivery attempt. `table` returns a
 * table's name in SQL. `holds` returns the condition that selects rows, given a row's alias and the column of its time.
 */
export const factsSql = (
  table: (name: string) => string,
  holds: (row: "t" | "v" | "d" | "a", time: "id" | "started_at") => string
): string => `
  select t.environment, case t.kind when 'PAYMENT' then 'payment.settled' when 'REFUND' then 'refund.paid'
      else 'refund.returned' end as fact,
    t.currency, t.amount_minor::numeric as amount_minor, t.id, null::timestamptz as started_at
  from ${table("transfer")} t
  where ${holds("t", "id")} and t.kind in ('PAYMENT', 'REFUND', 'REFUND_REVERSAL')
  union all
  select v.environment, case v.topic when 'merchant.identity.consent_granted' then 'consent.granted'
      when 'merchant.identity.request.denied' then 'consent.denied'
      when 'merchant.identity.consent_revoked' then 'consent.revoked'
      when 'merchant.identity.consent_expired' then 'consent.expired' else 'verification.ended' end,
    '', null, v.id, null
  from ${table("event")} v
  where ${holds("v", "id")} and v.test_for is null and v.topic in (
    'merchant.identity.consent_granted', 'merchant.identity.request.denied', 'merchant.identity.consent_revoked',
    'merchant.identity.consent_expired', 'kyc.verification.completed'
  )
  union all
  select d.environment, 'consent.asked', '', null, d.id, null
  from ${table("data_request")} d where ${holds("d", "id")}
  union all
  select d.environment, case when a.response_status between 200 and 299 then 'delivery.taken' else 'delivery.refused' end,
    '', null, null, a.started_at
  from ${table("delivery_attempt")} a join ${table("delivery")} d on d.id = a.delivery_id
  where ${holds("a", "started_at")}`
