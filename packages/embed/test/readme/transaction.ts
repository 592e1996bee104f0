import type { TransactionalSurety } from "@surety/embed"
import type { Pool } from "pg"

interface Order {
  readonly id: string
  readonly merchantId: string
}

export const giveBack = async (pool: Pool, surety: TransactionalSurety, order: Order) => {
  const client = await pool.connect()
  await client.query("begin")
  await client.query("update orders set status = 'returned' where id = $1", [order.id])
  const refund = await surety.inTransaction(client).refunds.create({
    merchantId: order.merchantId,
    environment: "TEST",
    idempotencyKey: `return-${order.id}`,
    transactionId: order.id
  })
  const stands = refund.ok || refund.error._tag === "RefundOutcomeUnknown" // a wallet of yours is called after the commit
  await client.query(stands ? "commit" : "rollback")
  client.release()
  return refund
}
