import type { TransactionalSurety } from "@surety/embed"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import { pgTable, text } from "drizzle-orm/pg-core"
import type { Pool } from "pg"
import { type Order, refundIn } from "./Order.ts"

export const orders = pgTable("orders", { id: text().primaryKey(), status: text().notNull() })

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = async (surety: TransactionalSurety, pool: Pool, order: Order) => {
  const client = await pool.connect()
  try {
    return await drizzle(client).transaction(async (tx) => {
      await tx.update(orders).set({ status: "returned" }).where(eq(orders.id, order.id))
      return refundIn(surety.inTransaction(client), order)
    })
  } finally {
    client.release()
  }
}
