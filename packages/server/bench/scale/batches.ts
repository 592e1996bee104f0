import type pg from "pg"
import { type Copies, checkIds, idParts, idsOf } from "./Copying.ts"
import { type Template, templates } from "./templates.ts"

export interface Made {
  readonly template: Template
  readonly copies: Copies
}

export const merchantsOf = (refunds: number): number => Math.max(4, Math.min(200, Math.ceil(refunds / 1_000)))
export const peopleOf = (refunds: number): number => Math.max(20, Math.ceil(refunds / 5))

const spanDays = 60

/** SQL for the creation time of every person, which precedes the time of any copy. */
export const beforeAll = `now() - interval '${spanDays + 1} days'`

const batchSize = 50_000

/**
 * Returns a template's number of copies. Also returns SQL that computes a copy's time, environment, merchant and person
 * from its number `n`.
 */
export const copyOf = ({ count, hasBusyPerson, isRecent }: Template, refunds: number) => {
  const [merchants, people] = [merchantsOf(refunds), peopleOf(refunds)]
  const total = count(refunds)
  const at =
    isRecent === true
      ? `now() - make_interval(secs => 60 + 5.0 * (${total} - n))`
      : `now() - interval '1 hour' - interval '${spanDays} days' * (1 - (n + 0.5) / ${total})`
  const isBusy = hasBusyPerson === true ? "n % 50 = 0" : "false"
  return {
    total,
    at: `date_trunc('milliseconds', ${at})`,
    environment: "case when n % 5 = 4 then 'TEST' else 'LIVE' end",
    merchant: `case when (n / 5) % 2 = 0 then 0 else 1 + n % ${merchants - 1} end`,
    person: `case when ${isBusy} then 0 else 1 + (n::bigint * 7919 % ${people - 1})::int end`
  }
}

/**
 * Builds SQL that computes the id of a person's wallet in a merchant's books from the columns of `b`. Batches therefore
 * do not look the id up.
 */
export const walletOf = (firstWallet: bigint, refunds: number): string => {
  const merchant = `(case b.environment when 'LIVE' then 0 else ${merchantsOf(refunds)} end + b.merchant)::bigint`
  return `(${firstWallet} + ${merchant} * ${peopleOf(refunds)} + b.person)`
}

/** Keeps the planner from repeating a column's expression wherever the column is used. */
const once = "offset 0"

type Range = readonly [from: number, until: number]

const batchOf = (
  { copies, template }: Made,
  [from, until]: Range,
  { firstWallet, refunds }: Pick<CopyOptions, "firstWallet" | "refunds">
): string => {
  const { at, environment, merchant, person } = copyOf(template, refunds)
  return `
    create temporary table batch on commit drop as
    select b.*, to_char(b.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at_text,
      p.user_id, p.service_id, ${walletOf(firstWallet, refunds)} as wallet, m.merchant_id, m.merchant_text, m.api_key_id,
      m.api_key_text, m.endpoint_id, m.endpoint_text, m.settlement, m.external, i.*
    from (
      select n, ${at} as at, '${template.name} ' || n as label, ${environment} as environment, ${merchant} as merchant,
        ${person} as person
      from generate_series(${from}, ${until - 1}) n
      ${once}
    ) b
    join surety_scale.place m on m.environment = b.environment and m.k = b.merchant
    join surety_scale.person p on p.environment = b.environment and p.k = b.person
    cross join lateral (select (extract(epoch from b.at) * 1000)::bigint as ms ${once}) t
    cross join lateral (select ${idParts} ${once}) d
    cross join lateral (select ${idsOf(copies, templates.indexOf(template)).join(", ")}) i
    order by b.n`
}

export interface CopyOptions {
  readonly refunds: number
  readonly made: ReadonlyArray<Made>
  readonly firstWallet: bigint
  readonly report: (line: string) => void
}

/**
 * Copies all templates in chronological batches. Each client takes the next batch when it finishes one. The rows of a
 * table therefore end up nearly in chronological order.
 */
export const copy = async (clients: ReadonlyArray<pg.Client>, options: CopyOptions): Promise<void> => {
  const { made, refunds, report } = options
  const batches = Math.max(1, Math.ceil(refunds / batchSize))
  let next = 0
  let stored = 0
  const rangeOf = (template: Template, batch: number): Range => {
    const total = template.count(refunds)
    if (template.isRecent === true) return [batch === batches - 1 ? 0 : total, total]
    return [Math.floor((total * batch) / batches), Math.floor((total * (batch + 1)) / batches)]
  }
  const work = async (client: pg.Client): Promise<void> => {
    // Looks people up by key, since hashing all of them takes longer than a batch.
    await client.query("set enable_hashjoin = off; set enable_mergejoin = off")
    for (let batch = next++; batch < batches; batch = next++) {
      for (const one of made) {
        const range = rangeOf(one.template, batch)
        if (range[0] >= range[1]) continue
        await client.query("begin")
        await client.query(batchOf(one, range, options))
        await checkIds(client, one.copies)
        for (const insert of one.copies.inserts) await client.query(insert)
        await client.query("commit")
      }
      stored += 1
      report(`Stored ${Math.round((stored / batches) * 100)} % of ${refunds} refunds`)
    }
    await client.query("reset enable_hashjoin; reset enable_mergejoin")
  }
  await Promise.all(clients.map(work))
}
