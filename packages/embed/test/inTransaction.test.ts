import { createSurety, postgresStore, type TransactionalSurety, unwrap } from "@surety/embed"
import { Pool } from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hostDatabase } from "./HostDatabase.js"
import { makeSale, secretsKey } from "./Shop.js"

const roads = ["the host's pool", "a pool of Surety's own"] as const

describe.each(roads)("A refund in the host's transaction, over %s", (road) => {
  let pool: Pool
  let surety: TransactionalSurety

  beforeAll(async () => {
    const url = await hostDatabase()
    pool = new Pool({ connectionString: url })
    pool.on("error", () => {})
    await pool.query("create table shop_order (id text primary key, status text not null)")
    const store = road === "the host's pool" ? postgresStore({ pool }) : postgresStore({ url })
    surety = await createSurety({ store, secretsKey, targets: "any" })
    afterAll(async () => {
      await surety.close()
      await pool.end()
    })
  })

  const refundIn = async (id: string, ending: "commit" | "rollback") => {
    const { scope } = await makeSale(surety, id)
    const client = await pool.connect()
    await client.query("begin")
    await client.query("insert into shop_order values ($1, 'refunded')", [id])
    const asked = { ...scope, idempotencyKey: `refund-${id}`, transactionId: `order-${id}` }
    const made = unwrap(await surety.inTransaction(client).refunds.create(asked))
    const before = unwrap(await surety.refunds.list(scope)).data
    await client.query(ending)
    client.release()
    const orders = await pool.query("select 1 from shop_order where id = $1", [id])
    return { asked, before, made, orders: orders.rowCount, after: unwrap(await surety.refunds.list(scope)).data }
  }

  it("stands with the host's rows, and nobody sees it before", async () => {
    const { after, before, made, orders } = await refundIn("1", "commit")
    assert.deepStrictEqual(before, [])
    assert.deepStrictEqual(after, [made.refund])
    assert.strictEqual(orders, 1)
  })

  it("falls with the host's rows, and its key is free again", async () => {
    const { after, asked, orders } = await refundIn("2", "rollback")
    assert.deepStrictEqual([after, orders], [[], 0])
    assert.isFalse(unwrap(await surety.refunds.create(asked)).replayed)
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), [])
  })
})
