import type { TransactionalSurety } from "@surety/embed"
import { type DataSource, EntitySchema } from "typeorm"
import { type Order, refundIn } from "./Order.ts"

export const Orders = new EntitySchema<{ id: string; status: string }>({
  name: "Order",
  tableName: "orders",
  columns: { id: { type: "text", primary: true }, status: { type: "text" } }
})

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = (surety: TransactionalSurety, dataSource: DataSource, order: Order) =>
  dataSource.transaction(async (manager) => {
    await manager.update(Orders, { id: order.id }, { status: "returned" })
    const client = await manager.queryRunner?.connect() // the transaction's own
    return refundIn(surety.inTransaction(client), order)
  })
