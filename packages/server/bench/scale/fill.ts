import { availableParallelism } from "node:os"
import { alphabet, crockford } from "@surety/core/CheckCharacter"
import { toUuid } from "@surety/core/Ids"
import { Option } from "effect"
import type pg from "pg"
import { beforeAll, copy, type Made, merchantsOf, peopleOf } from "./batches.ts"
import type { Caller } from "./Caller.ts"
import { type AccountKinds, capture, copiesOf } from "./Copying.ts"
import { gatherPairs, proposals, sums } from "./sums.ts"
import { atOnce, checkReferences, connect, layIndexesAside, putBack } from "./tables.ts"
import { newDesk, newMerchant, openReceiver, type Template, templates } from "./templates.ts"

/** A merchant in one environment, with its API key and endpoint. */
export type Place = Awaited<ReturnType<typeof newMerchant>>[number]

export interface SampleOptions {
  readonly databaseUrl: string
  /** Client of a server that runs on this database and sends webhooks. */
  readonly caller: Caller
  readonly operator: string
  /** Number of refunds that `fill` will add. It determines the number of merchants. */
  readonly refunds: number
}

/** Templates with the SQL that copies their rows, and the merchants that receive the copies. */
export interface Samples {
  readonly made: ReadonlyArray<Made>
  readonly places: ReadonlyArray<Place>
}

export interface FillOptions {
  /** Database to fill. No server may run on it, since its tables lack their indexes during the fill. */
  readonly databaseUrl: string
  readonly samples: Samples
  readonly refunds: number
  /** If true, `fill` checks every foreign key at the end. */
  readonly isChecked: boolean
  readonly report: (line: string) => void
}

/** Merchants and people of the copies. The first merchant owns half of the copies; the others share the rest. */
export interface Filled {
  readonly places: ReadonlyArray<Place>
  /** Service ids of the people, by environment. The first LIVE person is the busy one, with a fiftieth of the sales. */
  readonly people: Readonly<Record<"LIVE" | "TEST", ReadonlyArray<string>>>
}

const environments = ["LIVE", "TEST"] as const
const chunk = 50_000

/** Returns `count` service ids with valid check characters, spread over the whole range. */
const serviceIds = (count: number, from: number): ReadonlyArray<string> => {
  const all = alphabet.length ** 8
  const step = 7_919_000_017
  const made: Array<string> = []
  let place = Number((BigInt(from) * BigInt(step) + 12_345_678_901n) % BigInt(all))
  for (; made.length < count; place = (place + step) % all) {
    let rest = place
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
    create unlogged table surety_scale.asking (like surety.asking);
    create unlogged table surety_scale.receipt (merchant_id uuid, environment text, id uuid, user_id text, body text)`)
}

const newPlaces = async ({ caller, operator, refunds }: SampleOptions): Promise<ReadonlyArray<Place>> => {
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
    for (let from = 0; from < count; from += chunk) {
      await client.query(
        `insert into surety_scale.person (environment, k, user_id, service_id)
         select $1::text, $2::int + p.k - 1, 'user_' || lpad(to_hex($2::int + p.k), 26, '0'), p.id
         from unnest($3::text[]) with ordinality p (id, k)`,
        [environment, from, people[environment].slice(from, from + chunk)]
      )
    }
  }
  await client.query(`
    insert into surety.consumer (environment, id, service_id, external_id, display_name, country, email, phone_verified,
      created_at)
    select environment, user_id, service_id, 'crm-' || k, 'Ada Okafor ' || k, 'NG', 'ada.' || k || '@person.example', true,
      ${beforeAll}
    from surety_scale.person;
    analyze surety_scale.person, surety_scale.place`)
  return people
}

/** Performs a template's operation once through the API, and builds the SQL that copies the stored rows. */
const copiesFor = async (
  { caller, databaseUrl, operator }: SampleOptions,
  template: Template,
  receiverUrl: string
): Promise<Made> => {
  const client = await connect(databaseUrl)
  try {
    const desk = await newDesk(caller, operator, receiverUrl)
    const base = Date.now()
    const rows = await capture(client, desk, template.act)
    const { rows: accounts } = await client.query<{ readonly id: string; readonly kind: string }>(
      "select id::text, kind from surety.account"
    )
    const kinds: AccountKinds = new Map(accounts.map(({ id, kind }) => [id, kind]))
    return { template, copies: copiesOf(rows, desk, kinds, base) }
  } finally {
    await client.end()
  }
}

/** Creates the records that `fill` copies and the merchants that receive the copies, in an empty database. */
export const takeSamples = async (options: SampleOptions): Promise<Samples> => {
  const receiver = await openReceiver()
  try {
    const made = await Promise.all(templates.map((template) => copiesFor(options, template, receiver.url)))
    return { made, places: await newPlaces(options) }
  } finally {
    receiver.close()
  }
}

/**
 * Fills a database with `refunds` refunds and the other records of a platform of that size, such as payments, people,
 * events and consents. The books balance. Indexes are built after the rows are stored.
 */
export const fill = async ({ databaseUrl, isChecked, refunds, report, samples }: FillOptions): Promise<Filled> => {
  const { made, places } = samples
  const client = await connect(databaseUrl)
  const others = Array.from({ length: Math.max(2, availableParallelism()) - 1 }, () => connect(databaseUrl))
  const clients = [client, ...(await Promise.all(others))]
  try {
    for (const one of clients) await one.query("set session_replication_role = replica")
    await prepare(client)
    await storePlaces(client, places)
    await layIndexesAside(client)
    const people = await storePeople(client, peopleOf(refunds))
    const { rows } = await client.query<{ readonly next: string | bigint }>(
      "select max(id) + 1 as next from surety.account"
    )
    const sized = { refunds, made, firstWallet: BigInt(rows[0]?.next ?? 1) }
    await client.query(gatherPairs(sized))
    await copy(clients, { ...sized, report })
    await atOnce(clients, sums)
    await client.query(proposals(refunds))
    await client.query("drop schema surety_scale cascade")
    report("Making the indexes")
    await putBack(clients)
    if (isChecked) await checkReferences(client)
    return { places, people }
  } finally {
    for (const one of clients) await one.end()
  }
}
