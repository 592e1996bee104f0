import { toUuid } from "@surety/core/Ids"
import { type AccountPart, accountPartText } from "@surety/core/ledger/Account"
import type { Transfer } from "@surety/core/ledger/Transfer"
import { isWellFormed } from "@surety/core/ledger/Transfer"
import { DateTime } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"
import { booksUuid, consumerOf, merchantOf } from "./AccountRow.js"

export interface Cause {
  readonly operatorTransferId?: string
  readonly paymentId?: string
  readonly refundId?: string
}

interface Change {
  readonly key: AccountPart
  minor: bigint
}

/**
 * Returns the net changes, one per account part. Also returns each transfer's debit and credit positions in that list,
 * from 1.
 */
const changesOf = (transfers: ReadonlyArray<Transfer>) => {
  const changes: Array<Change> = []
  const places = new Map<string, number>()
  const placeOf = (key: AccountPart, minor: bigint): number => {
    const text = accountPartText(key)
    const place = places.get(text) ?? changes.push({ key, minor: 0n }) - 1
    places.set(text, place)
    const change = changes[place]
    if (change !== undefined) change.minor += minor
    return place + 1
  }
  const sides = transfers.map(({ amount, credit, debit }) => ({
    debit: placeOf(debit, -amount.minor),
    credit: placeOf(credit, amount.minor)
  }))
  return { changes, sides }
}

/**
 * Builds common table expressions that post transfers if `when` has a row. They open missing accounts, move balances
 * and store the transfers. Accounts are locked in the same order everywhere: wallets, settlement accounts, then
 * external accounts. Within each kind, the order is environment, currency, merchant and consumer.
 */
export const postTransfers = (
  { name, sql }: Database,
  transfers: ReadonlyArray<Transfer>,
  cause: Cause,
  when: Fragment
): Fragment => {
  if (transfers.length === 0) return sql.literal("")
  if (!transfers.every(isWellFormed))
    throw new Error("a transfer moves money between two accounts of its currency, in one set of books")
  const { changes, sides } = changesOf(transfers)
  const keys = changes.map(({ key }) => key)
  return sql`,
  change as (
    select * from unnest(
      ${PgArray.texts(keys.map(({ kind }) => kind))}, ${PgArray.texts(keys.map(({ environment }) => environment))},
      ${PgArray.texts(keys.map(({ currency }) => currency))}, ${PgArray.uuids(keys.map(merchantOf))},
      ${PgArray.texts(keys.map(consumerOf))}, ${PgArray.bigints(changes.map(({ minor }) => minor))}
    ) with ordinality as c (kind, environment, currency, merchant_id, user_id, minor, place)
  ),
  moved as (
    insert into ${name("account")} as a (kind, environment, currency, merchant_id, user_id, balance_minor)
    select kind, environment, currency, merchant_id, user_id, minor from change
    where exists (select 1 from ${when})
    order by kind desc, environment, currency, merchant_id nulls first, user_id
    on conflict (user_id, merchant_id, environment, currency, kind)
      do update set balance_minor = a.balance_minor + excluded.balance_minor
    returning id, kind, environment, currency, merchant_id, user_id
  ),
  account_at as (
    select c.place, m.id from change c join moved m
      on m.kind = c.kind and m.environment = c.environment and m.currency = c.currency
      and m.merchant_id is not distinct from c.merchant_id and m.user_id is not distinct from c.user_id
  ),
  posted as (
    insert into ${name("transfer")} (
      id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor, merchant_id, payment_id,
      refund_id, operator_transfer_id, at
    )
    select t.id, t.kind, t.environment, t.currency, debit.id, credit.id, t.minor, t.books,
      ${cause.paymentId ?? null}::text, ${cause.refundId ?? null}::uuid, ${cause.operatorTransferId ?? null}::uuid, t.at
    from unnest(
      ${PgArray.uuids(transfers.map(({ id }) => toUuid(id)))}, ${PgArray.texts(transfers.map(({ kind }) => kind))},
      ${PgArray.texts(transfers.map(({ debit }) => debit.environment))},
      ${PgArray.texts(transfers.map(({ amount }) => amount.currency))},
      ${PgArray.uuids(transfers.map(({ debit }) => booksUuid(debit)))},
      ${PgArray.integers(sides.map(({ debit }) => debit))}, ${PgArray.integers(sides.map(({ credit }) => credit))},
      ${PgArray.bigints(transfers.map(({ amount }) => amount.minor))},
      ${PgArray.times(transfers.map(({ at }) => DateTime.toEpochMillis(at)))}
    ) as t (id, kind, environment, currency, books, debit_place, credit_place, minor, at)
    join account_at debit on debit.place = t.debit_place
    join account_at credit on credit.place = t.credit_place
  )`
}
