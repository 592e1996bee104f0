import type { Surety } from "@surety/embed"
import type { Sql } from "postgres"
import type { Order } from "./Order.ts"

/** Marks the order returned and queues its refund: both, or neither. The workers refund it after the commit. */
export const returnOrder = async (surety: Surety, sql: Sql, { id, merchantId }: Order) => {
  const key = `return-${id}`
  await sql.begin(async (tx) => {
    await tx`update orders set status = 'returned' where id = ${id}`
    const payload = tx.json({ merchantId, environment: "TEST", transactionId: id })
    await tx`insert into surety.requests (key, kind, payload) values (${key}, 'refunds.create', ${payload})`
  })
  return surety.hostRequests.wait({ key })
}
