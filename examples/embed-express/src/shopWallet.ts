import type { HostCredit, HostWallet } from "@surety/embed"
import type { Pool, PoolClient } from "pg"
import { transaction } from "./transaction.ts"

/**
 * Credits a wallet once per refund, because Surety calls again if the response was lost. Declines if the user has no
 * wallet.
 */
const addToWallet = async (client: Pick<PoolClient, "query">, { amountMinor, refundId, userId }: HostCredit) => {
  const values = [refundId, userId, amountMinor]
  const added = await client.query({
    text: `with credit as (
             insert into shop.wallet_refunds (refund_id, user_id, kobo)
             select $1, user_id, $3 from shop.wallets where user_id = $2
             on conflict do nothing returning user_id, kobo
           )
           update shop.wallets set kobo = wallets.kobo + credit.kobo from credit where wallets.user_id = credit.user_id`,
    values
  })
  if (added.rowCount === 1) return { credited: true } as const
  const known = await client.query({
    text: "select 1 from shop.wallet_refunds where refund_id = $1",
    values: [refundId]
  })
  return known.rowCount === 1 ? ({ credited: true } as const) : { declined: "The customer has no wallet any more." }
}

/** Wallet for `createSurety` that credits refunds to the shop's existing `wallets` table. */
export const shopWallet = (pool: Pool): HostWallet => ({
  // For refunds outside the shop's transactions, such as those that a merchant requests over HTTP.
  credit: (credit) => transaction(pool, (client) => addToWallet(client, credit)),
  // For refunds that the shop requests in its own transaction. The change to the wallet becomes part of that
  // transaction.
  creditInTransaction: (credit, client: Pick<PoolClient, "query">) => addToWallet(client, credit)
})
