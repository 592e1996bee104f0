import { PrismaPg } from "@prisma/adapter-pg"
import type { Surety } from "@surety/embed"
import { unwrap } from "@surety/embed"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { DataSource } from "typeorm"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Order, refundOf } from "./Order.ts"
import * as postgresRecipe from "./postgresJs.ts"
import { PrismaClient } from "./prisma/client.ts"
import * as prismaRecipe from "./prisma.ts"
import { openShop, type Shop } from "./Shop.ts"

let shop: Shop
const opened: Array<() => Promise<unknown>> = []

beforeAll(async () => {
  shop = await openShop()
  await shop.surety.workers.start()
})

afterAll(() => Promise.all(opened.map((close) => close())))

const libraries = {
  "postgres.js": () => {
    const sql = postgres(shop.url, { max: 4 })
    opened.push(() => sql.end())
    return (order: Order) => postgresRecipe.returnOrder(shop.surety, sql, order)
  },
  Prisma: () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: shop.url }) })
    opened.push(() => prisma.$disconnect())
    return (order: Order) => prismaRecipe.returnOrder(shop.surety, prisma, order)
  }
}

describe.each(Object.entries(libraries))("By a row in a transaction of %s", (_, open) => {
  let returnOrder: (order: Order) => ReturnType<Shop["surety"]["hostRequests"]["wait"]>
  beforeAll(() => {
    returnOrder = open()
  })

  it("an order is refunded once it is committed, and once", async () => {
    const order = await shop.order()
    const requests: ReadonlyArray<Surety.HostRequest> = (
      await Promise.all([returnOrder(order), returnOrder(order).catch(() => returnOrder(order))])
    ).map(unwrap)
    const [refund] = await shop.refundsOf(order)
    for (const { result, status } of requests) {
      assert.strictEqual(status, "DONE")
      assert.strictEqual(result?.id, refund?.id)
      assert.deepInclude(result, { status: "COMPLETED", amountMinor: 100_000n, currency: "NGN" })
    }
    assert.lengthOf(await shop.refundsOf(order), 1)
    assert.strictEqual(await shop.statusOf(order), "returned")
  })

  it("nothing is refunded if the commit fails", async () => {
    const order = await shop.order("doomed")
    const failure = await returnOrder(order).catch((cause: unknown) => cause)
    assert.match(JSON.stringify(failure, Object.getOwnPropertyNames(failure)) + String(failure), /foreign ?key|23503/i)
    assert.strictEqual(await shop.statusOf(order), "paid")
    const missing = await shop.surety.hostRequests.get({ key: `return-${order.id}` })
    assert.isTrue(!missing.ok && missing.error._tag === "HostRequestNotFound")
    assert.deepStrictEqual(await shop.refundsOf(order), [])
  })

  it("a refusal can be read in the request", async () => {
    const order = await shop.order()
    unwrap(await shop.surety.refunds.create({ ...refundOf(order), idempotencyKey: `by-hand-${order.id}` }))
    const { error, status } = unwrap(await returnOrder(order))
    assert.strictEqual(status, "FAILED")
    assert.deepInclude(error, { name: "RefundRefused", reason: "AlreadyRefunded" })
    assert.lengthOf(await shop.refundsOf(order), 1)
  })
})

describe("A connection that cannot be used is refused with what to do:", () => {
  const refuses = async (given: unknown, message: RegExp) => {
    const order = await shop.order()
    const within: (connection: never) => ReturnType<Shop["surety"]["inTransaction"]> = shop.surety.inTransaction
    const failure = await within(given as never)
      .refunds.create(refundOf(order))
      .catch((cause: unknown) => cause)
    assert.match(failure instanceof Error ? failure.message : "", message)
    assert.deepStrictEqual(await shop.refundsOf(order), [])
  }

  it("TypeORM's data source, manager and query runner", async () => {
    const dataSource = new DataSource({ type: "postgres", url: shop.url })
    await dataSource.initialize()
    await refuses(dataSource, /queryRunner\.connect/)
    await dataSource.transaction(async (manager) => {
      await refuses(manager, /queryRunner\.connect/)
      await refuses(manager.queryRunner, /queryRunner\.connect/)
    })
    await dataSource.destroy()
  })

  it("postgres.js's, also under Drizzle", async () => {
    const sql = postgres(shop.url, { max: 2 })
    await sql.begin((tx) => refuses(tx, /surety\.requests/))
    await drizzle(sql).transaction((tx) => refuses(tx, /got Drizzle/))
    await sql.end()
  })

  it("Prisma's", async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: shop.url }) })
    await refuses(prisma, /surety\.requests/)
    await prisma.$transaction((tx) => refuses(tx, /surety\.requests/))
    await prisma.$disconnect()
  })
})
