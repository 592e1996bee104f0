import { createRequire } from "node:module"
import { inspect } from "node:util"
import { createSurety, postgresStore, type TransactionalSurety, unwrap } from "@surety/embed"
import { drizzle } from "drizzle-orm/node-postgres"
import knex from "knex"
import { Kysely, PostgresDialect } from "kysely"
import type pg from "pg"
import { Client, Pool } from "pg"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { migratedDatabase } from "./HostDatabase.js"
import { untyped } from "./host/misbehavingPart.js"
import { makeSale, secretsKey } from "./Shop.js"

/** The oldest version of `pg` that hosts may use. Its package has no types. */
const pg811: typeof pg = createRequire(import.meta.url)("pg8-11")

let url: string
let pool: Pool
let surety: TransactionalSurety

beforeAll(async () => {
  url = await migratedDatabase()
  pool = new Pool({ connectionString: url })
  pool.on("error", () => {})
  surety = await createSurety({ store: postgresStore({ url }), secretsKey, targets: "any" })
  await pool.query("create table shop_order (id text primary key)")
  afterAll(async () => {
    await surety.close()
    await pool.end()
  })
})

/**
 * Records a sale, then refunds it in the transaction `given`, passed without types. `outcome` is the error if the
 * refund throws.
 */
const refundIn = async (given: unknown, id: string) => {
  const { scope } = await makeSale(surety, id)
  const within = untyped(surety.inTransaction)
  const asked = { ...scope, idempotencyKey: `refund-${id}`, transactionId: `order-${id}` }
  try {
    const outcome: unknown = await within(given).refunds.create(asked)
    return { scope, outcome, message: "" }
  } catch (failure) {
    return { scope, outcome: failure, message: failure instanceof Error ? failure.message : String(failure) }
  }
}

const assertRefused = async (given: unknown, id: string, message: RegExp) => {
  const refused = await refundIn(given, id)
  assert.match(refused.message, message)
  assert.notInclude(inspect(refused.outcome).split("\n")[0], "@surety", "its name is no path")
  assert.deepStrictEqual(unwrap(await surety.refunds.list(refused.scope)).data, [])
}

describe("A transaction that is none of pg's is refused, with what to pass instead:", () => {
  it("a pool, of pg 8.11 too", async () => {
    await assertRefused(pool, "pool", /got a pool, .* Pass the pg connection on which you began the transaction/)
    const older = new pg811.Pool({ connectionString: url })
    await assertRefused(older, "pool-8.11", /got a pool/)
    await older.end()
  })

  it("nothing at all", async () => {
    for (const [index, given] of [undefined, null, "client", {}, { query: "select 1" }].entries()) {
      await assertRefused(given, `none-${index}`, /inTransaction got /)
    }
  })

  it("Knex's; the connection that it names is taken", async () => {
    const database = knex({ client: "pg", connection: url, pool: { min: 0, max: 2 } })
    await assertRefused(database, "knex", /got Knex/)
    await database.transaction(async (trx) => {
      await assertRefused(trx, "knex-trx", /await trx\.client\.acquireConnection\(\)/)
      const { outcome } = await refundIn(await trx.client.acquireConnection(), "knex-connection")
      assert.deepInclude(outcome, { ok: true })
    })
    await database.destroy()
  })

  it("Drizzle's; the client under it is taken", async () => {
    const client = await pool.connect()
    const database = drizzle(client)
    await assertRefused(database, "drizzle", /got Drizzle/)
    await database.transaction(async (tx) => {
      await assertRefused(tx, "drizzle-tx", /drizzle\(client\)/)
      assert.deepInclude((await refundIn(client, "drizzle-client")).outcome, { ok: true })
    })
    client.release()
  })

  it("Kysely's", async () => {
    const database = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) })
    await assertRefused(database, "kysely", /got Kysely/)
    await database.transaction().execute((trx) => assertRefused(trx, "kysely-trx", /got Kysely/))
    await database.destroy()
  })

  it("postgres.js's", async () => {
    const sql = postgres(url, { max: 1 })
    await assertRefused(sql, "postgres", /got postgres\.js/)
    await sql.begin((tx) => assertRefused(tx, "postgres-tx", /got postgres\.js/))
    await sql.end()
  })

  it("one whose answers are another driver's", async () => {
    const manager = { query: async () => [] }
    await assertRefused(manager, "manager", /did not respond to SAVEPOINT as a pg connection does/)
  })

  it("also by type", () => {
    const given = surety.inTransaction
    // @ts-expect-error a pool runs each statement on any free connection
    const pools = () => given(pool)
    // @ts-expect-error another library's transaction
    const libraries = () => [given(drizzle(pool)), given(knex({ client: "pg" })), given(postgres(url))]
    assert.isFunction(pools)
    assert.isFunction(libraries)
  })
})

const drivers = { "pg 8.11": pg811.Client, "this pg": Client }

describe.each(Object.entries(drivers))("A connection of %s", (name, Driver) => {
  const connect = async () => {
    const client = new Driver({ connectionString: url })
    await client.connect()
    return client
  }

  it("in no transaction is refused by PostgreSQL itself, and nothing is written", async () => {
    const client = await connect()
    await assertRefused(client, `${name} outside`, /The connection is not in a transaction: begin one/)
    await client.query("begin")
    await client.query("commit")
    await assertRefused(client, `${name} committed`, /not in a transaction/)
    await client.end()
  })

  it("whose transaction is aborted is refused, and says why the commit would be none", async () => {
    const client = await connect()
    await client.query("begin")
    await client.query("select 1 / 0").catch(() => {})
    await assertRefused(client, `${name} aborted`, /aborted.*roll it back.*turn its COMMIT into a ROLLBACK/)
    assert.strictEqual((await client.query("commit")).command, "ROLLBACK")
    await client.end()
  })

  it("keeps what the host did before a call that was undone, and what it does after it", async () => {
    const client = await connect()
    await client.query("begin")
    await client.query("insert into shop_order values ($1)", [`${name} before`])
    const { scope } = await makeSale(surety, `${name} undone`)
    const { merchantId } = scope
    // Aborts the host's transaction just before Surety releases its savepoint. The call must fail, not return a result.
    let isDone = false
    const meddling = Object.assign(Object.create(client), {
      query: async (query: { readonly text: string }) => {
        if (query.text.startsWith("RELEASE SAVEPOINT surety_call") && !isDone) {
          isDone = true
          await client.query("select 1 / 0").catch(() => {})
        }
        return client.query(query)
      }
    })
    const register = surety.inTransaction(meddling).webhooks.register({ ...scope, url: "http://127.0.0.1:4000/" })
    assert.match(String(await register.catch((failure: unknown) => failure)), /aborted/)
    await client.query("insert into shop_order values ($1)", [`${name} after`])
    assert.strictEqual((await client.query("commit")).command, "COMMIT")
    assert.lengthOf(unwrap(await surety.webhooks.list({ merchantId })).data, 0)
    const { rowCount } = await client.query("select 1 from shop_order where id like $1", [`${name}%`])
    assert.strictEqual(rowCount, 2)
    await client.end()
  })

  it("takes part: a refund stands or falls with the host's transaction", async () => {
    const client = await connect()
    for (const ending of ["commit", "rollback"]) {
      await client.query("begin")
      const { outcome, scope } = await refundIn(client, `${name} ${ending}`)
      assert.deepInclude(outcome, { ok: true })
      await client.query(ending)
      assert.lengthOf(unwrap(await surety.refunds.list(scope)).data, ending === "commit" ? 1 : 0)
    }
    await client.end()
  })
})

describe("A pool that is none", () => {
  it("is refused before it connects if it is a Client of pg", () => {
    const client = new Client({ connectionString: url })
    assert.throws(() => postgresStore({ pool: untyped(() => client)() }), /pool: is a pg Client; pass a pg Pool/)
  })

  it("is refused when the store is opened, by what its connect gives", async () => {
    const store = postgresStore({ pool: untyped(() => ({ connect: () => Promise.resolve(undefined) }))() })
    const failure = await createSurety({ store, secretsKey }).catch((cause: unknown) => cause)
    assert.match(String(failure), /pool\.connect\(\) returned no connection .* pass a pg Pool/)
  })
})
