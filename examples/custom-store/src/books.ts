import type { AccountKey } from "@surety/core/ledger/Account"
import { isWellFormed, type Transfer } from "@surety/core/ledger/Transfer"
import { DateTime } from "effect"
import type { Sql } from "./Database.ts"
import { integer } from "./StoredRecord.ts"

/** The account's balance in minor units; `undefined` where it is not open. */
export const balanceMinor = (sql: Sql, { currency, environment, kind, owner }: AccountKey): bigint | undefined => {
  const row = sql.get`
    select balance_minor from account
    where environment = ${environment} and kind = ${kind} and owner = ${owner} and currency = ${currency}`
  return row === undefined ? undefined : integer(row.balance_minor)
}

/** Adds to a balance; an account is opened when it is first named. Answers the account. */
const move = (sql: Sql, { currency, environment, kind, owner }: AccountKey, amountMinor: bigint): bigint => {
  const row = sql.get`
    insert into account (environment, kind, owner, currency, balance_minor)
    values (${environment}, ${kind}, ${owner}, ${currency}, ${amountMinor})
    on conflict (environment, kind, owner, currency)
      do update set balance_minor = balance_minor + excluded.balance_minor
    returning id`
  return integer(row?.id)
}

/** Keeps the transfer and moves both balances. */
export const post = (sql: Sql, transfer: Transfer): void => {
  if (!isWellFormed(transfer))
    throw new Error(`${transfer.id} does not move money between two accounts of its currency`)
  const { amount, at, cause, credit, debit, id, kind } = transfer
  sql.run`
    insert into transfer (id, kind, debit, credit, amount_minor, cause, at)
    values (${id}, ${kind}, ${move(sql, debit, -amount.minor)}, ${move(sql, credit, amount.minor)}, ${amount.minor},
      ${cause}, ${DateTime.formatIso(at)})`
}
