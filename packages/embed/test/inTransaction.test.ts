import {
  type Calls,
  createSurety,
  type HostWallet,
  postgresStore,
  type Surety,
  type TransactionalSurety,
  unwrap
} from "@surety/embed"
import { Pool } from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { migratedDatabase } from "./HostDatabase.js"
import { application, makeSale, secretsKey } from "./Shop.js"

const roads = ["the host's pool", "a pool of Surety's own"] as const

/** Removes `replayed` from the refund, since lists return refunds without it. */
const refundOf = ({ replayed: _, ...refund }: Surety.Refund & { readonly replayed: boolean }) => refund

describe.each(roads)("A refund in the host's transaction, over %s", (road) => {
  let pool: Pool
  let surety: TransactionalSurety

  beforeAll(async () => {
    const url = await migratedDatabase()
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

  it("commits with the host's rows, and no one sees it before", async () => {
    const { after, before, made, orders } = await refundIn("1", "commit")
    assert.deepStrictEqual(before, [])
    assert.deepStrictEqual(after, [refundOf(made)])
    assert.strictEqual(orders, 1)
  })

  it("is one call of many: those that need a transaction of their own take part, also at once", async () => {
    const { scope } = await makeSale(surety, "3")
    const client = await pool.connect()
    await client.query("begin")
    const { refunds, webhooks } = surety.inTransaction(client)
    const { merchantId } = scope
    const register = (name: string) => webhooks.register({ ...scope, url: `http://127.0.0.1:4000/${name}` })
    const asked = { ...scope, idempotencyKey: "k", transactionId: "order-3", amount: 1 }
    unwrap((await Promise.all([register("a"), refunds.create(asked), register("b")]))[0])
    const refused = await register("not a url\u0000")
    assert.isFalse(refused.ok)
    assert.lengthOf(unwrap(await surety.webhooks.list({ merchantId })).data, 0)
    await client.query("commit")
    client.release()
    assert.lengthOf(unwrap(await surety.webhooks.list({ merchantId })).data, 2)
    assert.lengthOf(unwrap(await surety.refunds.list(scope)).data, 1)
  })

  it("keeps no other merchant waiting, of payments and refunds of the same person in the same currency", async () => {
    const first = await makeSale(surety, "4")
    const second = unwrap(await surety.merchants.create(application)).id
    const trade = async (calls: Pick<Calls, "payments" | "refunds">, merchantId: string) => {
      const scope = { merchantId, environment: "TEST" } as const
      const transactionId = `trade-${merchantId}`
      unwrap(await calls.payments.record({ ...scope, transactionId, serviceId: first.customer.serviceId, amount: 10 }))
      return unwrap(await calls.refunds.create({ ...scope, idempotencyKey: "k", transactionId }))
    }
    const client = await pool.connect()
    await client.query("begin")
    await trade(surety.inTransaction(client), first.merchant.id)
    const waits = "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    let isOver = false
    const whileNoneWaits = async () => {
      while (!isOver) assert.deepStrictEqual((await pool.query(waits)).rows, [])
    }
    const over = trade(surety, second).finally(() => {
      isOver = true
    })
    try {
      const [refund] = await Promise.all([over, whileNoneWaits()])
      assert.strictEqual(refund.status, "COMPLETED")
    } finally {
      await client.query("commit")
      client.release()
    }
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
  })

  it("falls with the host's rows, and its key is free again", async () => {
    const { after, asked, orders } = await refundIn("2", "rollback")
    assert.deepStrictEqual([after, orders], [[], 0])
    assert.isFalse(unwrap(await surety.refunds.create(asked)).replayed)
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
  })
})

describe("A refund in the host's transaction, with a wallet of the host's", () => {
  const openShop = async (walletOf: (pool: Pool) => HostWallet) => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    await pool.query("create table wallet (user_id text primary key, kobo bigint not null)")
    await pool.query("create table wallet_credit (refund_id text primary key)")
    await pool.query("insert into wallet values ('user-1', 0)")
    const wallet = walletOf(pool)
    const surety = await createSurety({ store: postgresStore({ pool }), secretsKey, targets: "any", wallet })
    afterAll(async () => {
      await surety.close()
      await pool.end()
    })
    const { scope } = await makeSale(surety, "1")
    const refundAndEnd = async (key: string, ending: "commit" | "rollback") => {
      const client = await pool.connect()
      await client.query("begin")
      const asked = { ...scope, idempotencyKey: key, transactionId: "order-1", amount: 100 }
      const outcome = await surety.inTransaction(client).refunds.create(asked)
      await client.query(ending)
      client.release()
      return outcome
    }
    const balance = async () => (await pool.query("select kobo::int from wallet")).rows[0].kobo
    return { surety, scope, refundAndEnd, balance }
  }

  it("in the same database: the wallet's rows stand or fall with the refund", async () => {
    const { balance, refundAndEnd, scope, surety } = await openShop(() => ({
      credit: async () => ({ declined: "not asked for here" }),
      creditInTransaction: async ({ amountMinor, refundId, userId }, connection) => {
        await connection.query({ text: "insert into wallet_credit values ($1)", values: [refundId] })
        const text = "update wallet set kobo = kobo + $1 where user_id = $2"
        await connection.query({ text, values: [amountMinor, userId] })
        return { credited: true }
      }
    }))
    assert.isTrue((await refundAndEnd("1", "rollback")).ok)
    assert.strictEqual(await balance(), 0)
    const refund = unwrap(await refundAndEnd("1", "commit"))
    assert.strictEqual(refund.status, "COMPLETED")
    assert.strictEqual(await balance(), 10_000)
    assert.deepStrictEqual(unwrap(await surety.refunds.list(scope)).data, [refundOf(refund)])
  })

  it.each([
    ["does not say that it has credited", async () => JSON.parse('{"credited":false}')],
    ["throws", () => Promise.reject(new Error("out of order"))],
    ["declines", async () => ({ declined: "frozen" })]
  ] as const)(
    "in the same database, and %s: what it wrote is undone, and the transaction goes on",
    async (how, answer) => {
      const { balance, refundAndEnd, scope, surety } = await openShop(() => ({
        credit: async () => ({ declined: "not asked for here" }),
        creditInTransaction: async ({ amountMinor, userId }, connection) => {
          const text = "update wallet set kobo = kobo + $1 where user_id = $2"
          await connection.query({ text, values: [amountMinor, userId] })
          return answer()
        }
      }))
      const outcome = await refundAndEnd("1", "commit")
      if (outcome.ok) return assert.fail("completed")
      assert.strictEqual(outcome.error._tag, how === "declines" ? "RefundRefused" : "RefundOutcomeUnknown")
      assert.strictEqual(await balance(), 0)
      const [refund] = unwrap(await surety.refunds.list(scope)).data
      assert.strictEqual(refund?.status, how === "declines" ? "FAILED" : "PENDING")
      assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
    }
  )

  it("in the same database, and breaks the transaction: the refund is pending, and the host's rows are kept", async () => {
    const { balance, refundAndEnd, scope, surety } = await openShop(() => ({
      credit: async () => ({ declined: "not asked for here" }),
      creditInTransaction: async (_, connection) => {
        await connection.query({ text: "update wallet set kobo = 'much'", values: [] })
        return { credited: true }
      }
    }))
    const outcome = await refundAndEnd("1", "commit")
    assert.isTrue(!outcome.ok && outcome.error._tag === "RefundOutcomeUnknown")
    assert.strictEqual(await balance(), 0)
    assert.deepInclude(unwrap(await surety.refunds.list(scope)).data[0], { status: "PENDING" })
  })

  it("in the same database, and goes on after its answer: no later statement is run", async () => {
    const gate = Promise.withResolvers<void>()
    const late: Array<Promise<unknown>> = []
    const { balance, refundAndEnd, scope, surety } = await openShop(() => ({
      credit: async () => ({ declined: "not asked for here" }),
      creditInTransaction: async ({ amountMinor, userId }, connection) => {
        const text = "update wallet set kobo = kobo + $1 where user_id = $2"
        late.push(gate.promise.then(() => connection.query({ text, values: [amountMinor, userId] })))
        throw new Error("out of order")
      }
    }))
    const outcome = await refundAndEnd("1", "commit")
    assert.isTrue(!outcome.ok && outcome.error._tag === "RefundOutcomeUnknown")
    gate.resolve()
    const [ended] = await Promise.allSettled(late)
    assert.include(ended?.status === "rejected" ? String(ended.reason) : ended?.status, "has ended")
    assert.strictEqual(await balance(), 0)
    assert.deepInclude(unwrap(await surety.refunds.list(scope)).data[0], { status: "PENDING" })
  })

  it("elsewhere: it is not asked before the commit", async () => {
    let asked = 0
    const answers = async () => {
      asked += 1
      return { credited: true } as const
    }
    const { refundAndEnd, scope, surety } = await openShop(() => ({ credit: answers, lookup: answers }))
    await refundAndEnd("1", "commit")
    const outcome = await refundAndEnd("1", "commit")
    if (outcome.ok) return assert.fail("completed before the commit")
    assert.strictEqual(outcome.error._tag, "RefundOutcomeUnknown")
    assert.strictEqual(asked, 0)
    assert.deepInclude(unwrap(await surety.refunds.list(scope)).data[0], { status: "PENDING", amount: 100 })
  })
})
