import type { TransactionalSurety } from "@surety/embed"
import type { Knex } from "knex"
import { type Order, refundIn } from "./Order.ts"

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = (surety: TransactionalSurety, knex: Knex, order: Order) =>
  knex.transaction(async (trx) => {
    await trx("orders").where({ id: order.id }).update({ status: "returned" })
    const client = await trx.client.acquireConnection() // the transaction's own
    return refundIn(surety.inTransaction(client), order)
  })
