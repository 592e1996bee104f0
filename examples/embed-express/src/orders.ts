import { type TransactionalSurety, unwrap } from "@surety/embed"
import type { Pool, PoolClient } from "pg"
import { transaction } from "./transaction.ts"

export const environment = "LIVE"

/** An error whose message the user sees, with status 409. */
export class ShopError extends Error {}

const only = async (client: Pick<PoolClient, "query">, text: string, values: Array<unknown>, missing: string) => {
  const { rows } = await client.query(text, values)
  if (rows[0] === undefined) throw new ShopError(missing)
  return rows[0]
}

/**
 * Links the user to the merchant and returns the user's `service_id` in Surety. On the first purchase, registers the
 * user in Surety under their shop user id.
 */
const serviceIdOf = async (surety: TransactionalSurety, client: PoolClient, userId: string, merchantId: string) => {
  const users = "select name, email, service_id from shop.users where id = $1 for update"
  const user = await only(client, users, [userId], "User not found.")
  const calls = surety.inTransaction(client)
  if (user.service_id !== null) {
    unwrap(await calls.consumers.link({ merchantId, environment, serviceId: user.service_id }))
    return user.service_id
  }
  const { name: displayName, email } = user
  const consumer = unwrap(
    await calls.consumers.create({ environment, userId, displayName, email, linkedTo: merchantId })
  )
  await client.query("update shop.users set service_id = $1 where id = $2", [consumer.serviceId, userId])
  return consumer.serviceId
}

/** Places an order: wallet, order and Surety's payment commit or roll back together. */
export const placeOrder = (
  pool: Pool,
  surety: TransactionalSurety,
  order: { readonly id: string; readonly sellerId: string; readonly userId: string; readonly kobo: number }
) =>
  transaction(pool, async (client) => {
    const sellers = "select merchant_id from shop.sellers where id = $1"
    const { merchant_id: merchantId } = await only(client, sellers, [order.sellerId], "Seller not found.")
    const debit = "update shop.wallets set kobo = kobo - $1 where user_id = $2 and kobo >= $1 returning kobo"
    await only(client, debit, [order.kobo, order.userId], "There is not enough in the wallet.")
    await client.query("insert into shop.orders values ($1, $2, $3, $4, 'PAID')", [
      ...[order.id, order.sellerId, order.userId, order.kobo]
    ])
    const serviceId = await serviceIdOf(surety, client, order.userId, merchantId)
    const amountMinor = BigInt(order.kobo)
    const payment = { merchantId, environment, transactionId: order.id, serviceId, amountMinor } as const
    return unwrap(await surety.inTransaction(client).payments.record(payment))
  })

/** Processes a return: order, refund and wallet commit or roll back together. */
export const returnOrder = (pool: Pool, surety: TransactionalSurety, orderId: string) =>
  transaction(pool, async (client) => {
    const orders = `update shop.orders set status = 'RETURNED' from shop.sellers
                    where orders.id = $1 and sellers.id = seller_id returning merchant_id`
    const { merchant_id: merchantId } = await only(client, orders, [orderId], "Order not found.")
    const { refunds } = surety.inTransaction(client)
    const refund = await refunds.create({
      ...{ merchantId, environment },
      idempotencyKey: `return-${orderId}`,
      transactionId: orderId,
      reason: "returned"
    })
    // A repeated return gets the first return's refund.
    if (refund.ok) return unwrap(await refunds.get({ merchantId, environment, refundId: refund.value.id }))
    // A refusal has a reason to show to the user. Any other error is unexpected.
    const { error } = refund
    throw error._tag === "RefundRefused" ? new ShopError(`Refused: ${error.reason._tag}`) : error
  })
