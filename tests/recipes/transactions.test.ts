import { type TransactionalSurety, unwrap } from "@surety/embed"
import { drizzle } from "drizzle-orm/node-postgres"
import knexOf from "knex"
import { DataSource } from "typeorm"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as drizzleRecipe from "./drizzle.ts"
import * as knexRecipe from "./knex.ts"
import * as kyselyRecipe from "./kysely.ts"
import { type Order, refundOf } from "./Order.ts"
import * as pgRecipe from "./pg.ts"
import { openShop, type Shop } from "./Shop.ts"
import * as typeormRecipe from "./typeorm.ts"

/** A library's recipe from docs/embedding/recipes.md, and a nested transaction made with the same library. */
interface Library {
  readonly returnOrder: (
    order: Order,
    surety?: TransactionalSurety
  ) => Promise<{ readonly id: string; readonly status: string }>
  /** Refunds `kept` in a transaction and `undone` in a nested one that is rolled back, then commits the outer one. */
  readonly nested: (kept: Order, undone: Order) => Promise<void>
}

class Undone extends Error {}

const undo = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail("was not undone"),
    (failure: unknown) => {
      if (!(failure instanceof Undone)) throw failure
    }
  )

let shop: Shop
const opened: Array<() => Promise<unknown>> = []

const refundIn = async (client: Parameters<Shop["surety"]["inTransaction"]>[0], order: Order) => {
  unwrap(await shop.surety.inTransaction(client).refunds.create(refundOf(order)))
}

const pg = async (): Promise<Library> => ({
  returnOrder: (order, surety = shop.surety) => pgRecipe.returnOrder(surety, shop.pool, order),
  nested: async (kept, undone) => {
    const client = await shop.pool.connect()
    await client.query("begin")
    await refundIn(client, kept)
    await client.query("savepoint nested")
    await refundIn(client, undone)
    await client.query("rollback to savepoint nested")
    await client.query("commit")
    client.release()
  }
})

const drizzleOrm = async (): Promise<Library> => ({
  returnOrder: (order, surety = shop.surety) => drizzleRecipe.returnOrder(surety, shop.pool, order),
  nested: async (kept, undone) => {
    const client = await shop.pool.connect()
    await drizzle(client).transaction(async (tx) => {
      await refundIn(client, kept)
      await undo(
        tx.transaction(async () => {
          await refundIn(client, undone)
          throw new Undone()
        })
      )
    })
    client.release()
  }
})

const knex = async (): Promise<Library> => {
  const database = knexOf({ client: "pg", connection: shop.url, pool: { min: 0, max: 4 } })
  opened.push(() => database.destroy())
  return {
    returnOrder: (order, surety = shop.surety) => knexRecipe.returnOrder(surety, database, order),
    nested: (kept, undone) =>
      database.transaction(async (trx) => {
        await refundIn(await trx.client.acquireConnection(), kept)
        await undo(
          trx.transaction(async (inner) => {
            await refundIn(await inner.client.acquireConnection(), undone)
            throw new Undone()
          })
        )
      })
  }
}

const kysely = async (): Promise<Library> => ({
  returnOrder: (order, surety = shop.surety) => kyselyRecipe.returnOrder(surety, shop.pool, order),
  nested: async (kept, undone) => {
    const client = await shop.pool.connect()
    const trx = await kyselyRecipe.kyselyOver(client).startTransaction().execute()
    await refundIn(client, kept)
    const inner = await trx.savepoint("nested").execute()
    await refundIn(client, undone)
    await inner.rollbackToSavepoint("nested").execute()
    await trx.commit().execute()
    client.release()
  }
})

const typeorm = async (): Promise<Library> => {
  const dataSource = new DataSource({ type: "postgres", url: shop.url, entities: [typeormRecipe.Orders] })
  await dataSource.initialize()
  opened.push(() => dataSource.destroy())
  return {
    returnOrder: (order, surety = shop.surety) => typeormRecipe.returnOrder(surety, dataSource, order),
    nested: (kept, undone) =>
      dataSource.transaction(async (manager) => {
        await refundIn(await manager.queryRunner?.connect(), kept)
        await undo(
          manager.transaction(async (inner) => {
            await refundIn(await inner.queryRunner?.connect(), undone)
            throw new Undone()
          })
        )
      })
  }
}

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => Promise.all(opened.map((close) => close())))

describe.each(Object.entries({ pg, "Drizzle over pg": drizzleOrm, Knex: knex, Kysely: kysely, TypeORM: typeorm }))(
  "In a transaction of %s",
  (_, open) => {
    let library: Library
    beforeAll(async () => {
      library = await open()
    })

    it("the order and its refund are committed together", async () => {
      const order = await shop.order()
      const refund = await library.returnOrder(order)
      assert.strictEqual(await shop.statusOf(order), "returned")
      assert.deepStrictEqual(
        (await shop.refundsOf(order)).map(({ id, status }) => ({ id, status })),
        [{ id: refund.id, status: "COMPLETED" }]
      )
    })

    it("with the host's own wallet both are committed too, and the wallet is called afterwards", async () => {
      const order = await shop.order()
      const refund = await library.returnOrder(order, shop.withWallet)
      assert.strictEqual(refund.status, "PENDING")
      assert.strictEqual(await shop.statusOf(order), "returned")
      assert.notInclude(shop.credited, refund.id)
      const later = unwrap(await shop.withWallet.refunds.create(refundOf(order)))
      assert.deepInclude(later, { id: refund.id, status: "COMPLETED" })
      assert.include(shop.credited, refund.id)
    })

    it("they are rolled back together", async () => {
      const order = await shop.order()
      unwrap(await shop.surety.refunds.create({ ...refundOf(order), idempotencyKey: `by-hand-${order.id}` }))
      const failure = await library.returnOrder(order).catch((cause: unknown) => cause)
      assert.deepInclude(failure, { name: "RefundRefused" })
      assert.strictEqual(await shop.statusOf(order), "paid")
      assert.lengthOf(await shop.refundsOf(order), 1)
    })

    it("a commit that fails is a failure, of the refund too, and can be tried again", async () => {
      const order = await shop.order("doomed")
      const failure = await library.returnOrder(order).catch((cause: unknown) => cause)
      assert.match(String(failure), /violates foreign key constraint|Failed query: commit/)
      assert.strictEqual(await shop.statusOf(order), "paid")
      assert.deepStrictEqual(await shop.refundsOf(order), [])
      await shop.pool.query("insert into shops values ('none') on conflict do nothing")
      assert.strictEqual((await library.returnOrder(order)).status, "COMPLETED")
      await shop.pool.query("delete from orders where shop = 'none'")
      await shop.pool.query("delete from shops where id = 'none'")
    })

    it("a nested one that is rolled back takes its refund along, and no other", async () => {
      const [kept, undone] = [await shop.order(), await shop.order()]
      await library.nested(kept, undone)
      assert.lengthOf(await shop.refundsOf(kept), 1)
      assert.deepStrictEqual(await shop.refundsOf(undone), [])
    })

    it("two at once refund once", async () => {
      const order = await shop.order()
      const refunds = await Promise.all([library.returnOrder(order), library.returnOrder(order)])
      assert.strictEqual(new Set(refunds.map(({ id }) => id)).size, 1)
      assert.lengthOf(await shop.refundsOf(order), 1)
      assert.deepStrictEqual(unwrap(await shop.surety.ledger.audit()), { faults: [] })
    })
  }
)
