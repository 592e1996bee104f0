import { hash, randomBytes } from "node:crypto"
import pg from "pg"
import { type BenchMerchant, paymentMinor } from "../load/LoadJob.ts"
import { uuidV7 } from "./executeRefund.ts"

const seedStatements = {
  merchant: `
    with merchant as (
      insert into merchants (id, name, status) values ($1, $2, 'ACTIVE') returning id
    ), key as (
      insert into api_keys (id, hash, merchant_id, environment) select $3, $4, id, 'LIVE' from merchant
    ), endpoint as (
      insert into endpoints (id, merchant_id, environment, url, topics)
      select $5, id, 'LIVE', 'https://hooks.example/peer', array['transaction.settled'] from merchant
    )
    insert into accounts (environment, kind, owner, currency, balance_minor)
    select 'LIVE', 'SETTLEMENT', id::text, 'NGN', $6 from merchant`,
  wallets: `
    insert into accounts (environment, kind, owner, currency)
    select 'LIVE', 'WALLET', 'consumer_' || n, 'NGN' from generate_series(0, $1::int - 1) n`,
  external: `
    insert into accounts (environment, kind, owner, currency, balance_minor)
    values ('LIVE', 'EXTERNAL', 'platform', 'NGN', $1)`,
  payments: `
    insert into payments (merchant_id, environment, id, reference, method, status, currency, amount_minor, user_id,
      service_id, created_at, settled_at)
    select $1, 'LIVE', id, 'order-' || n, 'WALLET', 'SETTLED', 'NGN', $3, 'consumer_' || ($5::int + n) % $4::int,
      'SR1-' || lpad((($5::int + n) % $4::int)::text, 9, '2'), now(), now()
    from unnest($2::text[]) with ordinality as given (id, n)`,
  transfers: `
    insert into transfers (id, kind, debit_account, credit_account, amount_minor, currency, cause, at)
    select uuidv7(), way.kind, way.debit, way.credit, p.amount_minor, p.currency, p.id, p.settled_at
    from payments p
    join accounts wallet on wallet.kind = 'WALLET' and wallet.owner = p.user_id
    join accounts settlement on settlement.kind = 'SETTLEMENT' and settlement.owner = p.merchant_id::text
    join accounts outside on outside.kind = 'EXTERNAL'
    cross join lateral (values ('FUNDING', outside.id, wallet.id), ('PAYMENT', wallet.id, settlement.id))
      as way (kind, debit, credit)`,
  events: `
    insert into events (id, merchant_id, environment, topic, body, occurred_at)
    select uuidv7(), merchant_id, environment, 'transaction.settled',
      json_build_object('transactionId', id, 'amount', amount_minor / 100)::text, settled_at
    from payments`
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretLength = 49

const nextSecret = (): string =>
  `sk_live_${Array.from(randomBytes(secretLength), (byte) => alphabet[byte % alphabet.length]).join("")}`

/**
 * Seeds a merchant with `payments` settled payments. Assigns consumers in turn, continuing after the `before` payments
 * of earlier merchants, so that few payments share a wallet.
 */
const seedMerchant = async (
  client: pg.Client,
  payments: number,
  consumers: number,
  before: number
): Promise<BenchMerchant> => {
  const id = uuidV7()
  const apiKey = nextSecret()
  const paymentIds = Array.from({ length: payments }, () => `payment_${uuidV7()}`)
  const balance = payments * paymentMinor
  await client.query(seedStatements.merchant, [id, "Bench", uuidV7(), hash("sha256", apiKey), uuidV7(), balance])
  await client.query(seedStatements.payments, [id, paymentIds, paymentMinor, consumers, before])
  return { id, apiKey, paymentIds }
}

/**
 * Seeds wallets for `consumers` consumers, and one merchant per entry of `paymentsOfMerchants`. An entry is the
 * merchant's number of settled payments, which are spread over the consumers.
 */
export const seed = async (
  connectionString: string,
  paymentsOfMerchants: ReadonlyArray<number>,
  consumers: number
): Promise<ReadonlyArray<BenchMerchant>> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const outside = -paymentMinor * paymentsOfMerchants.reduce((sum, count) => sum + count, 0)
    await client.query("begin")
    await client.query(seedStatements.wallets, [consumers])
    await client.query(seedStatements.external, [outside])
    const merchants: Array<BenchMerchant> = []
    let before = 0
    for (const payments of paymentsOfMerchants) {
      merchants.push(await seedMerchant(client, payments, consumers, before))
      before += payments
    }
    await client.query(seedStatements.transfers)
    await client.query(seedStatements.events)
    await client.query("commit")
    return merchants
  } finally {
    await client.end()
  }
}
