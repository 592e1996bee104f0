import { alphabet, crockford } from "@surety/core/CheckCharacter"
import { toUuid } from "@surety/core/Ids"
import { Option } from "effect"
import pg from "pg"
import type { Caller } from "./Caller.ts"
import { type AccountKinds, type Copies, capture, checkIds, copiesOf, idsOf, timeText } from "./Copying.ts"
import { newDesk, newMerchant, openReceiver, type Template, templates } from "./templates.ts"

/** A merchant in an environment, with its key. */
export type Place = Awaited<ReturnType<typeof newMerchant>>[number]

export interface FillOptions {
  readonly databaseUrl: string
  /** A server over the database, which sends webhooks. It makes one record of each kind, which is then copied. */
  readonly caller: Caller
  readonly operator: string
  readonly refunds: number
  /** Whether every foreign key is checked. Takes about twice as long. */
  readonly isChecked: boolean
  readonly report: (line: string) => void
}

/** Every second copy is the first merchant's; the others share the rest. */
export interface Filled {
  readonly places: ReadonlyArray<Place>
  /** Pays every fiftieth payment. The service ids of the people, by environment; the first is the busy one. */
  readonly people: Readonly<Record<"LIVE" | "TEST", ReadonlyArray<string>>>
}

const environments = ["LIVE", "TEST"] as const
const batchSize = 50_000
const spanDays = 60

const merchantsOf = (refunds: number): number => Math.max(4, Math.min(200, Math.ceil(refunds / 1_000)))
const peopleOf = (refunds: number): number => Math.max(20, Math.ceil(refunds / 5))

/** Valid consumer ids, spread over the whole range. */
const serviceIds = (count: number, from: number): ReadonlyArray<string> => {
  const all = alphabet.length ** 8
  const made: Array<string> = []
  for (let index = from; made.length < count; index += 1) {
    let rest = (index * 7_919_000_017 + 12_345_678_901) % all
    let payload = ""
    for (let digit = 0; digit < 8; digit += 1) {
      payload += alphabet[rest % alphabet.length]
      rest = Math.floor(rest / alphabet.length)
    }
    const check = Option.getOrUndefined(crockford.checkCharacter(payload))
    if (check !== undefined) made.push(`SR1-${payload.slice(0, 4)}-${payload.slice(4)}-${check}`)
  }
  return made
}

const prepare = async (client: pg.Client): Promise<void> => {
  await client.query("create schema surety_scale")
  await client.query(`
    create unlogged table surety_scale.place (environment text, k int, merchant_id uuid, merchant_text text,
      api_key_id uuid, api_key_text text, endpoint_id uuid, endpoint_text text, settlement bigint, external bigint,
      primary key (environment, k));
    create unlogged table surety_scale.person (environment text, k int, user_id text, service_id text,
      primary key (environment, k));
    create unlogged table surety_scale.receipt (merchant_id uuid, environment text, id uuid, user_id text, body text)`)
}

const newPlaces = async ({ caller, operator, refunds }: FillOptions): Promise<ReadonlyArray<Place>> => {
  const made = await Promise.all(
    Array.from({ length: merchantsOf(refunds) }, (_, index) => {
      const name = index === 0 ? "The Large Shop" : `Shop ${index}`
      return newMerchant(caller, operator, name, "https://hooks.example/surety", environments)
    })
  )
  return made.flat()
}

const storePlaces = async (client: pg.Client, places: ReadonlyArray<Place>): Promise<void> => {
  const suffix = (id: string) => id.slice(id.lastIndexOf("_") + 1)
  for (const environment of environments) {
    const of = places.filter((place) => place.environment === environment)
    await client.query(
      `insert into surety.account (environment, kind, currency, merchant_id, balance_minor)
       select $1, k, 'NGN', m, 0 from unnest($2::uuid[]) m cross join unnest(array['SETTLEMENT', 'EXTERNAL']) k
       on conflict do nothing`,
      [environment, of.map(({ merchantId }) => toUuid(merchantId))]
    )
    await client.query(
      `insert into surety_scale.place
       select $1::text, p.k - 1, p.m, p.mt, p.a, p.at, p.e, p.et, own.id, external.id
       from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::text[])
         with ordinality p (m, mt, a, at, e, et, k)
       join surety.account own
         on own.merchant_id = p.m and own.kind = 'SETTLEMENT' and own.environment = $1 and own.currency = 'NGN'
       join surety.account external
         on external.merchant_id = p.m and external.kind = 'EXTERNAL' and external.environment = $1
           and external.currency = 'NGN'`,
      [
        environment,
        of.map(({ merchantId }) => toUuid(merchantId)),
        of.map(({ merchantId }) => suffix(merchantId)),
        of.map(({ apiKeyId }) => toUuid(apiKeyId)),
        of.map(({ apiKeyId }) => suffix(apiKeyId)),
        of.map(({ endpointId }) => toUuid(endpointId)),
        of.map(({ endpointId }) => suffix(endpointId))
      ]
    )
  }
}

const storePeople = async (client: pg.Client, count: number): Promise<Filled["people"]> => {
  const people = { LIVE: serviceIds(count, 1), TEST: serviceIds(count, 2 * count + 1) }
  for (const environment of environments) {
    for (let from = 0; from < count; from += batchSize) {
      await client.query(
        `insert into surety_scale.person (environment, k, user_id, service_id)
         select $1::text, $2::int + p.k - 1, 'user_' || lpad(to_hex($2::int + p.k), 26, '0'), p.id
         from unnest($3::text[]) with ordinality p (id, k)`,
        [environment, from, people[environment].slice(from, from + batchSize)]
      )
    }
  }
  await client.query(`
    insert into surety.consumer (environment, id, service_id, external_id, display_name, country, email, phone_verified,
      created_at)
    select environment, user_id, service_id, 'crm-' || k, 'Ada Okafor ' || k, 'NG', 'ada.' || k || '@person.example', true,
      now() - interval '${spanDays + 1} days'
    from surety_scale.person;
    analyze surety_scale.person, surety_scale.place`)
  return people
}

const batchOf = (
  template: Template,
  copies: Copies,
  [from, until]: readonly [number, number],
  refunds: number
): string => {
  const { count, hasBusyPerson, isRecent, name } = template
  const [merchants, people] = [merchantsOf(refunds), peopleOf(refunds)]
  const total = count(refunds)
  const at =
    isRecent === true
      ? `now() - make_interval(secs => 60 + 5.0 * (${total} - n))`
      : `now() - interval '1 hour' - interval '${spanDays} days' * (1 - (n + 0.5) / ${total})`
  const isBusy = hasBusyPerson === true ? "n % 50 = 0" : "false"
  return `
    create unlogged table surety_scale.batch as
    select b.*, to_char(b.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at_text,
      p.user_id, p.service_id, null::bigint as wallet, m.merchant_id, m.merchant_text, m.api_key_id, m.api_key_text, m.endpoint_id,
      m.endpoint_text, m.settlement, m.external, i.*
    from (
      select n, date_trunc('milliseconds', ${at}) as at, '${name} ' || n as label,
        case when n % 5 = 4 then 'TEST' else 'LIVE' end as environment,
        case when (n / 5) % 2 = 0 then 0 else 1 + n % ${merchants - 1} end as merchant,
        case when ${isBusy} then 0 else 1 + (n::bigint * 7919 % ${people - 1})::int end as person
      from generate_series(${from}, ${until - 1}) n
    ) b
    join surety_scale.place m on m.environment = b.environment and m.k = b.merchant
    join surety_scale.person p on p.environment = b.environment and p.k = b.person
    cross join lateral (select (extract(epoch from b.at) * 1000)::bigint as ms) t
    cross join lateral (select ${timeText} as ms_text) tt
    cross join lateral (select ${idsOf(copies, templates.indexOf(template)).join(", ")}) i`
}

const link = `
  insert into surety.consumer_link (merchant_id, environment, user_id, created_at)
  select s.merchant_id, s.environment, s.user_id, min(s.at) from surety_scale.batch s group by 1, 2, 3
  on conflict do nothing`

/** Wallets have a part in the books of each merchant. */
const openWallets = `
  insert into surety.account (environment, kind, currency, merchant_id, user_id, balance_minor)
  select distinct s.environment, 'WALLET', 'NGN', s.merchant_id, s.user_id, 0 from surety_scale.batch s
  on conflict do nothing;
  update surety_scale.batch s set wallet = a.id
  from surety.account a
  where a.user_id = s.user_id and a.merchant_id = s.merchant_id and a.environment = s.environment and a.currency = 'NGN'
    and a.kind = 'WALLET';
  analyze surety_scale.batch`

/** Appends the staged receipts to the chains of their merchants, each hash over the one before it. */
const chain = `
  do $$
  declare
    r record;
    merchant uuid;
    environment text;
    place bigint;
    before text;
    linked text;
  begin
    for r in select * from surety_scale.receipt x order by x.merchant_id, x.environment, x.id loop
      if (merchant, environment) is distinct from (r.merchant_id, r.environment) then
        merchant := r.merchant_id;
        environment := r.environment;
        select coalesce(max(e.sequence), 0), coalesce(max(e.hash), repeat('0', 64)) into place, linked
        from surety.receipt_chain_end e where e.merchant_id = r.merchant_id and e.environment = r.environment;
      end if;
      before := linked;
      linked := surety.receipt_hash(before, r.body);
      place := place + 1;
      insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
      values (r.id, r.merchant_id, r.environment, r.user_id, place, r.body, before, linked);
    end loop;
  end $$;
  insert into surety.receipt_chain_end as e (merchant_id, environment, sequence, previous_hash, hash)
  select distinct on (c.merchant_id, c.environment) c.merchant_id, c.environment, c.sequence, c.previous_hash, c.hash
  from surety.consent_receipt c join surety_scale.receipt s on s.id = c.id
  order by c.merchant_id, c.environment, c.sequence desc
  on conflict (merchant_id, environment) do update
    set sequence = excluded.sequence, previous_hash = excluded.previous_hash, hash = excluded.hash;
  truncate surety_scale.receipt`

/** Redundant records: balances, the part that opened an account, and the count of a person's verifications. */
const sum = [
  `update surety.account a set opens_account = false
   from (
     select id, row_number() over (partition by environment, kind, currency, user_id order by id) as place
     from surety.account where kind <> 'SETTLEMENT'
   ) f where f.id = a.id and f.place > 1 and a.opens_account`,
  `update surety.account a set balance_minor = f.minor
   from (
     select account_id, sum(minor)::bigint as minor
     from (
       select debit_account_id as account_id, -amount_minor as minor from surety.transfer
       union all select credit_account_id, amount_minor from surety.transfer
     ) s group by account_id
   ) f where f.account_id = a.id and f.minor <> a.balance_minor`,
  `update surety.consumer c set kyc_status = 'VERIFIED', kyc_tier = f.tier, kyc_evidence_count = f.count
   from (
     select environment, user_id, max(tier) as tier, count(*) as count from surety.kyc_evidence group by 1, 2
   ) f where f.user_id = c.id and f.environment = c.environment and f.count <> c.kyc_evidence_count`
]

const proposals = (refunds: number): string => `
  insert into surety.proposal (id, environment, kind, transfer_kind, currency, amount_minor, merchant_id, reason,
    idempotency_key, fingerprint, proposed_by, proposed_at, ends_at, status)
  select uuidv7(), p.environment, 'TRANSFER', 'FUNDING', 'NGN', 2000000, p.merchant_id, 'Proposed to fill the store.',
    'scale-' || n, 'scale', 'ada', now(), now() + interval '1 day', 'OPEN'
  from generate_series(1, ${Math.max(2, Math.ceil(refunds / 50_000))}) n
  cross join surety_scale.place p where p.k = 0 and p.environment = 'LIVE'`

const copy = async (
  client: pg.Client,
  { refunds, report }: FillOptions,
  made: ReadonlyArray<{ readonly template: Template; readonly copies: Copies }>
): Promise<void> => {
  const batches = Math.max(1, Math.ceil(refunds / batchSize))
  for (let batch = 0; batch < batches; batch += 1) {
    await client.query("begin")
    for (const { copies, template } of made) {
      const total = template.count(refunds)
      const isLast = batch === batches - 1
      const range: readonly [number, number] =
        template.isRecent === true
          ? [isLast ? 0 : total, total]
          : [Math.floor((total * batch) / batches), Math.floor((total * (batch + 1)) / batches)]
      if (range[0] >= range[1]) continue
      await client.query(batchOf(template, copies, range, refunds))
      await checkIds(client, copies)
      await client.query(link)
      await client.query(openWallets)
      for (const insert of copies.inserts) await client.query(insert)
      await client.query("drop table surety_scale.batch")
    }
    await client.query(chain)
    await client.query("commit")
    report(`Stored ${Math.round(((batch + 1) / batches) * 100)} % of ${refunds} refunds`)
  }
}

/** Makes one of a template through the interface, and the SQL that copies it. */
const copiesFor = async (
  client: pg.Client,
  { caller, operator }: FillOptions,
  template: Template,
  receiverUrl: string
): Promise<{ readonly template: Template; readonly copies: Copies }> => {
  const desk = await newDesk(caller, operator, receiverUrl)
  const base = Date.now()
  const rows = await capture(client, desk, template.act)
  const { rows: accounts } = await client.query<{ readonly id: string; readonly kind: string }>(
    "select id::text, kind from surety.account"
  )
  const kinds: AccountKinds = new Map(accounts.map(({ id, kind }) => [id, kind]))
  return { template, copies: copiesOf(rows, desk, kinds, base) }
}

/**
 * Fills an empty database with this many refunds, and with what a platform of that size has besides: payments, people,
 * events and their deliveries, requests, consents, receipts, verifications. One of each is made through the interface and
 * copied with ids of its own, so the books add up.
 */
export const fill = async (options: FillOptions): Promise<Filled> => {
  const { databaseUrl, isChecked, refunds } = options
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const receiver = await openReceiver()
  try {
    await client.query("set timezone = 'UTC'")
    await client.query("set work_mem = '256MB'")
    await prepare(client)
    const captured = await Promise.all(templates.map((template) => copiesFor(client, options, template, receiver.url)))
    const places = await newPlaces(options)
    await client.query(isChecked ? "set session_replication_role = origin" : "set session_replication_role = replica")
    await storePlaces(client, places)
    const people = await storePeople(client, peopleOf(refunds))
    await copy(client, options, captured)
    for (const statement of sum) await client.query(statement)
    await client.query(proposals(refunds))
    await client.query("drop schema surety_scale cascade")
    await client.query("vacuum (analyze)")
    return { places, people }
  } finally {
    receiver.close()
    await client.end()
  }
}
