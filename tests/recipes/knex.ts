import { type TransactionalSurety, unwrap } from "@surety/embed"
import type { Knex } from "knex"
import { type Order, refundOf } from "./Order.ts"

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = (surety: TransactionalSurety, knex: Knex, order: Order) =>
  knex.transaction(async (trx) => {
    await trx("orders").where({ id: order.id }).update({ status: "returned" })
    const client = await trx.client.acquireConnection() // the transaction's own
    return unwrap(await surety.inTransaction(client).refunds.create(refundOf(order)))
  })
