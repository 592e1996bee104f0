import type { TransactionalSurety } from "@surety/embed"
import type { Pool } from "pg"
import { type Order, refundIn } from "./Order.ts"

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = async (surety: TransactionalSurety, pool: Pool, order: Order) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    await client.query("update orders set status = 'returned' where id = $1", [order.id])
    const refund = await refundIn(surety.inTransaction(client), order)
    const { command } = await client.query("commit")
    if (command !== "COMMIT") throw new Error("The transaction was rolled back.") // an earlier statement had failed
    return refund
  } catch (failure) {
    await client.query("rollback").catch(() => {})
    throw failure
  } finally {
    client.release()
  }
}
