import type { TransactionalSurety } from "@surety/embed"
import { Kysely, PostgresDialect } from "kysely"
import type { Pool, PoolClient } from "pg"
import { type Order, refundIn } from "./Order.ts"

interface Database {
  readonly orders: { readonly id: string; readonly status: string }
}

/** Kysely over one connection, since it does not expose the one that it takes from a pool. */
export const kyselyOver = (client: PoolClient) => {
  const lent = { query: client.query.bind(client), release: () => {} }
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { connect: async () => lent, end: async () => {}, options: {} } })
  })
}

/** Marks the order returned and refunds it: both, or neither. */
export const returnOrder = async (surety: TransactionalSurety, pool: Pool, order: Order) => {
  const client = await pool.connect()
  try {
    return await kyselyOver(client)
      .transaction()
      .execute(async (trx) => {
        await trx.updateTable("orders").set({ status: "returned" }).where("id", "=", order.id).execute()
        return refundIn(surety.inTransaction(client), order)
      })
  } finally {
    client.release()
  }
}
