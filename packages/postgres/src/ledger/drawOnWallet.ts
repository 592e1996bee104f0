import type { AccountPart } from "@surety/core/ledger/Account"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/Database.js"
import { isPartOf } from "./AccountRow.js"

const decodeSum = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ minor: Schema.BigInt })]))

/** Returns the account's balance across all books, in minor units. */
export const heldIn = (
  database: Database,
  account: AccountPart
): Effect.Effect<bigint, SqlError | Schema.SchemaError> => {
  const { name, sql } = database
  const sum = sql`
    select coalesce(sum(a.balance_minor), 0)::bigint as minor from ${name("account")} a
    where ${isPartOf(database, account)}`
  return Effect.map(Effect.flatMap(sum, decodeSum), ([{ minor }]) => minor)
}

/**
 * Returns true if the consumer's wallet covers the amount across all books. No other call can then draw on the wallet
 * until this transaction ends. Must run within a transaction.
 *
 * Calls take turns by writing the wallet's part in the platform's books. Refunds, and payments not made from the
 * balance, do not touch that part, so they do not wait. Under `repeatable read`, the snapshot can hide a concurrent
 * call's debit. The write then fails as a conflict. The person is locked first, in the same order as an erasure.
 */
export const drawOnWallet = Effect.fnUntraced(function* (
  database: Database,
  wallet: AccountPart,
  amountMinor: bigint
): Effect.fn.Return<boolean, SqlError | Schema.SchemaError> {
  const { name, sql } = database
  // Checks without a lock first, so that a wallet that does not cover the amount gets no new row.
  if ((yield* heldIn(database, wallet)) < amountMinor) return false
  yield* sql`
    with person as materialized (
      select c.environment, c.id from ${name("consumer")} c
      where c.id = ${wallet.owner} and c.environment = ${wallet.environment} for key share of c
    )
    insert into ${name("account")} as a (kind, environment, currency, user_id, balance_minor)
    select 'WALLET', person.environment, ${wallet.currency}::text, person.id, 0 from person
    on conflict (user_id, merchant_id, environment, currency, kind) do update set balance_minor = a.balance_minor`
  return (yield* heldIn(database, wallet)) >= amountMinor
})
