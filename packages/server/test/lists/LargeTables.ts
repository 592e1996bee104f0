import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"

/** Approximate number of rows per table and environment. */
export const copies = 20_000

/** A merchant and its endpoint, as UUIDs. */
export interface Owner {
  readonly merchantId: string
  readonly endpointId: string
}

/** Two merchants. The big merchant owns most records, and most of its records share a person, payment or endpoint. */
export interface Parties {
  readonly big: Owner
  readonly small: Owner
  /** An endpoint of the big merchant that has few deliveries. */
  readonly rareEndpointId: string
}

/**
 * SQL condition for a merchant's five oldest rows, which have rare values. A list that scans for a rare value reads all
 * of the merchant's other rows too.
 */
const isRare = "n <= 5"

/** SQL expressions for a record's time and id, `days` days ago. */
const created = (days: number) => {
  const at = `now() - interval '${days} days' + n * interval '10 milliseconds'`
  return { at, id: `surety.uuid_v7(${at})` }
}

const { at, id } = created(1)
const person = `case when ${isRare} then 'rare' else 'common' end`
const serviceId = `case when ${isRare} then 'SR1-2222-2222-A' else 'SR1-3333-3333-A' end`

const environments = ["TEST", "LIVE"] as const

/**
 * Builds statements that insert rows `first` to `count` into each of several tables. `merchant` is an SQL expression,
 * which may depend on the row number `n`.
 */
const ofMerchant = (
  merchant: string,
  environment: string,
  count: number,
  { first = 1, made = created(1) } = {}
): ReadonlyArray<string> => {
  const scope = `${merchant}, '${environment}'`
  const from = `from generate_series(${first}, ${count}) n`
  return [
    `insert into surety.payment (merchant_id, environment, id, reference, method, status, currency, amount_minor,
      refunded_minor, user_id, service_id, created_at, settled_at)
    select ${scope}, case when ${isRare} then 'rare-' else 'payment-' end || n, 'reference-' || n, 'WALLET', 'SETTLED',
      'NGN', 100000, 0, ${person}, ${serviceId}, ${made.at}, ${made.at} ${from}`,
    `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer,
      amount_minor, status, created_at, completed_at)
    select ${made.id}, ${scope}, case when ${isRare} then 'rare-1' else 'payment-6' end, 'key-' || n, 'k.f', '{}', 1,
      'COMPLETED', ${made.at}, ${made.at} ${from}`,
    `insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
    select ${scope}, ${made.id}, case when ${isRare} then 'transaction.settled' else 'refund.completed' end, '{}', ${made.at} ${from}`,
    `insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose,
      status, denial_reason, decided_at, decided_by_kind, event_id, created_at, expires_at)
    select ${made.id}, ${scope}, ${person}, ${serviceId}, '{email}', 'a purpose', case when ${isRare} then 'DENIED' else 'EXPIRED' end,
      case when ${isRare} then 'NOT_ME' end, case when ${isRare} then ${made.at} end, case when ${isRare} then 'PERSON' end,
      case when ${isRare} then ${made.id} end, ${made.at}, ${made.at} + interval '1 minute' ${from}`,
    `insert into surety.consent_grant (id, merchant_id, environment, user_id, service_id, fields, purpose, origin,
      granted_by_kind, status, granted_at, expires_at, event_id)
    select ${made.id}, ${scope}, ${person}, ${serviceId}, '{email}', 'a purpose', 'HOST', 'HOST', 'EXPIRED', ${made.at},
      ${made.at} + interval '1 minute', ${made.id} ${from}`,
    `insert into surety.identity_read (id, merchant_id, environment, user_id, service_id, fields, read_at)
    select ${made.id}, ${scope}, ${person}, ${serviceId}, '{email}', ${made.at} ${from}`,
    `insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
    select ${made.id}, ${scope}, ${person}, n, link.body, link.previous, surety.receipt_hash(link.previous, link.body) ${from}
    cross join lateral (
      select repeat(case when n = 1 then '0' else '1' end, 64) as previous,
        (select p.body from surety.consent_receipt p order by p.id limit 1) as body
    ) link`,
    `insert into surety.verification (id, merchant_id, environment, user_id, service_id, kind, id_hash, id_last4, status,
      first_name_result, last_name_result, date_of_birth_result, selfie_result, consent_method, created_at, completed_at,
      fence, looks)
    select ${made.id}, ${scope}, ${person}, ${serviceId}, 'bvn', 'k.h', '2222', 'VERIFIED', 'MATCH', 'MATCH', 'MATCH', 'MATCH',
      'MERCHANT_ATTESTED', ${made.at}, ${made.at}, 1, 0 ${from}`,
    `insert into surety.consumer_link (merchant_id, environment, user_id, created_at)
    select ${scope}, case n when 1 then 'rare' when 2 then 'common' else 'person ' || n end, ${made.at} ${from}`,
    `insert into surety.asking (merchant_id, environment, user_id, version, block_reason, block_request_id, blocked_at)
    select ${scope}, case n when 1 then 'rare' when 2 then 'common' else 'person ' || n end, 1, 'NOT_ME', asked.id, ${made.at} ${from}
    cross join lateral (
      select r.id from surety.data_request r where (r.merchant_id, r.environment) = (${scope}) order by r.id limit 1
    ) asked`
  ]
}

/**
 * Builds the statement that inserts deliveries. The oldest three have a rare status, and the next three are `PENDING`.
 * The common status of one environment is the rare status of the other.
 */
const deliveries = (
  { endpointId, merchantId }: Owner,
  environment: (typeof environments)[number],
  count: number
): string => {
  const common = environment === "LIVE" ? "DELIVERED" : "FAILED"
  const rare = environment === "LIVE" ? "FAILED" : "DELIVERED"
  return `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts,
    next_attempt_at, fence, created_at)
  select ${id}, ${id}, '${endpointId}', '${merchantId}', '${environment}',
    case when n <= 3 then '${rare}' when n <= 6 then 'PENDING' else '${common}' end, 1,
    case when n between 4 and 6 then ${at} end, 1, ${at}
  from generate_series(1, ${count}) n`
}

/**
 * Builds statements that insert one common record of each kind for each of 4,000 merchants, older than all others. The
 * average merchant is therefore small, and a generic plan assumes that size for every merchant.
 */
const ofOthers = (environment: string): ReadonlyArray<string> =>
  ofMerchant("md5(n::text)::uuid", environment, 4_005, { first: 6, made: created(2) })

const records = ({ merchantId }: Owner, environment: string): ReadonlyArray<string> => [
  `insert into surety.operator_action (id, actor, kind, target, environment, merchant_id, service_id, changes, at)
  select ${id}, ${person}, case when ${isRare} then 'grant.revoked' else 'payment.recorded' end, 'target ' || n,
    '${environment}', '${merchantId}', ${serviceId}, '[]', ${at} from generate_series(1, ${copies}) n`,
  `insert into surety.request_entry (merchant_id, environment, api_key_id, key_last4, method, route, status, request_id,
    at)
  select '${merchantId}', '${environment}', '${merchantId}', 'x7Qa', 'GET',
    case when ${isRare} then '/v1/refunds/:refundId' else '/v1/whoami' end, case when ${isRare} then 409 else 200 end,
    'request ' || n, ${at} from generate_series(1, ${copies}) n`,
  `insert into surety.rights_request (id, environment, user_id, service_id, kind, status, asked_at, due_at, closed_at)
  select ${id}, '${environment}', 'person ' || n, ${serviceId}, 'EXPORT', case when ${isRare} then 'OPEN' else 'DONE' end,
    ${at}, ${at} + interval '30 days', case when ${isRare} then null else ${at} end from generate_series(1, ${copies}) n`
]

const people = (environment: string): ReadonlyArray<string> => [
  `insert into surety.consumer (environment, id, external_id, email, service_id, phone_verified, created_at)
  select '${environment}', case n when 1 then 'rare' when 2 then 'common' else 'person ' || n end,
    'crm ' || n, 'Person' || n || '@example.com',
    case n when 1 then 'SR1-2222-2222-A' when 2 then 'SR1-3333-3333-A'
      else 'SR1-4' || translate(to_char(n, 'FM000-0000'), '0123456789', '23456789AB') || '-A' end,
    false, ${at} from generate_series(1, ${copies}) n`,
  `insert into surety.account (environment, kind, currency, user_id, balance_minor)
  select '${environment}', 'WALLET', 'NGN', 'person ' || n, 0 from generate_series(3, ${copies}) n`
]

/**
 * Fills tables that lists read, with foreign key checks off and one transaction per statement. At least one receipt
 * must exist, because its text is copied.
 */
export const fill = Effect.fnUntraced(function* ({ big, rareEndpointId, small }: Parties) {
  const sql = yield* PgClient.PgClient
  const statements = environments.flatMap((environment) => [
    ...people(environment),
    ...ofMerchant(`'${small.merchantId}'::uuid`, environment, 5),
    ...ofMerchant(`'${big.merchantId}'::uuid`, environment, copies),
    ...ofOthers(environment),
    ...records(big, environment),
    deliveries(small, environment, 5),
    deliveries({ ...big, endpointId: rareEndpointId }, environment, 5),
    deliveries(big, environment, copies)
  ])
  yield* sql`set session_replication_role = replica`
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* sql`set session_replication_role = origin`
  yield* sql`analyze`
})
