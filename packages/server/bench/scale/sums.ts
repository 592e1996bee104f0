import { copyOf, type Made, walletOf } from "./batches.ts"

export interface SumOptions {
  readonly refunds: number
  readonly made: ReadonlyArray<Made>
  readonly firstWallet: bigint
}

/**
 * Builds SQL that creates the table `pair`, with one row for each pair of merchant and person in the copies. A row
 * holds the time of the pair's first copy and the net change to each of the pair's accounts.
 */
export const gatherPairs = ({ firstWallet, made, refunds }: SumOptions): string => {
  const pairs = made.map(({ copies: { minor }, template }) => {
    const { at, environment, merchant, person, total } = copyOf(template, refunds)
    const of = (kind: string) => `${minor.get(kind) ?? 0n}::bigint`
    return `select ${environment} as environment, ${merchant} as merchant, ${person} as person, ${at} as at,
      ${of("WALLET")} as wallet, ${of("SETTLEMENT")} as settlement, ${of("EXTERNAL")} as external
    from generate_series(0, ${total - 1}) n`
  })
  return `
    create unlogged table surety_scale.pair as
    select b.environment, b.merchant, b.person, ${walletOf(firstWallet, refunds)} as id, min(b.at) as since,
      sum(b.wallet)::bigint as wallet, sum(b.settlement)::bigint as settlement, sum(b.external)::bigint as external
    from (${pairs.join(" union all ")}) b
    group by b.environment, b.merchant, b.person;
    analyze surety_scale.pair`
}

const links = `
  insert into surety.consumer_link (merchant_id, environment, user_id, created_at)
  select m.merchant_id, b.environment, p.user_id, b.since
  from surety_scale.pair b
  join surety_scale.place m on m.environment = b.environment and m.k = b.merchant
  join surety_scale.person p on p.environment = b.environment and p.k = b.person`

/**
 * SQL that adds the copies' changes to the balances of the merchants' accounts, and inserts the wallets with their
 * balances. A wallet or external account has a row per merchant, and only the first has `opens_account` set.
 */
const accounts = `
  update surety.account a set opens_account = false
  from (
    select id, row_number() over (partition by environment, kind, currency, user_id order by id) as place
    from surety.account where kind <> 'SETTLEMENT'
  ) f where f.id = a.id and f.place > 1 and a.opens_account;
  update surety.account a set balance_minor = a.balance_minor + f.minor
  from (
    select m.settlement as id, sum(b.settlement)::bigint as minor
    from surety_scale.pair b join surety_scale.place m on m.environment = b.environment and m.k = b.merchant group by 1
    union all
    select m.external, sum(b.external)::bigint
    from surety_scale.pair b join surety_scale.place m on m.environment = b.environment and m.k = b.merchant group by 1
  ) f where f.id = a.id and f.minor <> 0;
  insert into surety.account (id, environment, kind, currency, merchant_id, user_id, balance_minor, opens_account)
  overriding system value
  select b.id, b.environment, 'WALLET', 'NGN', m.merchant_id, p.user_id, b.wallet,
    row_number() over (partition by b.environment, b.person order by b.id) = 1
  from surety_scale.pair b
  join surety_scale.place m on m.environment = b.environment and m.k = b.merchant
  join surety_scale.person p on p.environment = b.environment and p.k = b.person;
  select setval(pg_get_serial_sequence('surety.account', 'id'), (select max(id) from surety.account))`

const askings = `
  insert into surety.asking
  select distinct on (s.user_id, s.merchant_id, s.environment) s.* from surety_scale.asking s
  order by s.user_id, s.merchant_id, s.environment, s.version`

const verifiedPeople = `
  update surety.consumer c set kyc_status = 'VERIFIED', kyc_tier = f.tier, kyc_evidence_count = f.count
  from (
    select environment, user_id, max(tier) as tier, count(*) as count from surety.kyc_evidence group by 1, 2
  ) f where f.user_id = c.id and f.environment = c.environment and f.count <> c.kyc_evidence_count`

/** SQL that links the receipts of each merchant and environment into a hash chain, and stores the chain's end. */
const chains = `
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
        place := 0;
        linked := repeat('0', 64);
      end if;
      before := linked;
      linked := surety.receipt_hash(before, r.body);
      place := place + 1;
      insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
      values (r.id, r.merchant_id, r.environment, r.user_id, place, r.body, before, linked);
    end loop;
  end $$;
  insert into surety.receipt_chain_end (merchant_id, environment, sequence, previous_hash, hash)
  select distinct on (c.merchant_id, c.environment) c.merchant_id, c.environment, c.sequence, c.previous_hash, c.hash
  from surety.consent_receipt c
  where exists (select from surety_scale.place m where m.merchant_id = c.merchant_id)
  order by c.merchant_id, c.environment, c.sequence desc`

/** SQL that derives the remaining rows and totals from the copies. The entries are independent and run concurrently. */
export const sums: ReadonlyArray<string> = [accounts, chains, links, `${askings}; ${verifiedPeople}`]

export const proposals = (refunds: number): string => `
  insert into surety.proposal (id, environment, kind, transfer_kind, currency, amount_minor, merchant_id, reason,
    idempotency_key, fingerprint, proposed_by, proposed_at, ends_at, status)
  select uuidv7(), p.environment, 'TRANSFER', 'FUNDING', 'NGN', 2000000, p.merchant_id, 'Proposed to fill the store.',
    'scale-' || n, 'scale', 'ada', now(), now() + interval '1 day', 'OPEN'
  from generate_series(1, ${Math.max(2, Math.ceil(refunds / 50_000))}) n
  cross join surety_scale.place p where p.k = 0 and p.environment = 'LIVE'`
