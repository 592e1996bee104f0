import * as embed from "@surety/embed"
import * as testing from "@surety/embed/testing"
import { Pool } from "pg"
import { pino } from "pino"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { examplesOf, runExample, typeErrorsOf } from "../../../tests/examples/Examples.js"
import { ensureBuilt } from "../../../tests/installed/InstalledPackage.js"
import { migratedDatabase } from "./HostDatabase.js"
import { application, makeSale, secretsKey } from "./Shop.js"

const examples = examplesOf("embed")

/** Declarations of the names that examples use without declaring them. */
const given = `
declare const surety: import("@surety/embed").TransactionalSurety
declare const scope: { readonly merchantId: string; readonly environment: "TEST" }
declare const merchantId: string
declare const application: import("@surety/embed").Surety.MerchantInput
declare const order: { readonly id: string }
declare const secretsKey: string
declare const pool: import("@surety/embed").HostPool
declare const log: import("@surety/embed").PinoLike
declare const client: import("@surety/embed").HostTransactionConnection & { query: (text: string, values?: unknown[]) => Promise<unknown> }
declare const wallet: import("@surety/embed").HostWallet
declare const directory: import("@surety/embed").HostDirectory
declare const ada: { readonly id: string; readonly serviceId: string }
declare const shop: { addCustomer: () => Promise<{ id: string }>; balanceInKobo: (id: string) => Promise<bigint> }
declare const app: {
  use: (handler: unknown) => void
  get: (path: string, handler: (request: unknown, response: { type: (type: string) => { send: (body: string) => void } }) => void) => void
}
`

describe("The examples of the docstrings", () => {
  let around: Readonly<Record<string, unknown>>
  const opened: Array<() => Promise<void>> = []

  beforeAll(async () => {
    const pool = new Pool({ connectionString: await migratedDatabase() })
    pool.on("error", () => {})
    const surety = await embed.createSurety({ store: embed.postgresStore({ pool }), secretsKey, targets: "any" })
    const { customer, payment, scope } = await makeSale(surety, "1")
    await pool.query("create table orders (id text, status text)")
    const client = await pool.connect()
    opened.push(async () => {
      client.release()
      await surety.close()
      await pool.end()
    })
    const balances = new Map<string, bigint>()
    const credited = new Set<string>()
    const wallet: embed.HostWallet = {
      credit: async ({ amountMinor, refundId, userId }) => {
        if (!credited.has(refundId)) balances.set(userId, (balances.get(userId) ?? 0n) + amountMinor)
        credited.add(refundId)
        return { credited: true }
      }
    }
    const directory: embed.HostDirectory = {
      values: async ({ environment }) =>
        environment === "LIVE" ? { display_name: "Ada Obi", phone_verified: true } : {}
    }
    const shop = {
      addCustomer: async () => {
        const id = `customer-${balances.size}`
        balances.set(id, 0n)
        return { id }
      },
      balanceInKobo: async (id: string) => balances.get(id) ?? 0n
    }
    const handlers: Array<(request: unknown, response: object) => unknown> = []
    const app = {
      use: (handler: unknown) => assert.isFunction(handler),
      get: (_: string, handler: (request: unknown, response: object) => unknown) => handlers.push(handler)
    }
    const ada = { id: customer.userId, serviceId: customer.serviceId }
    const order = { id: payment.id }
    const { merchantId } = scope
    around = {
      surety,
      scope,
      merchantId,
      application,
      order,
      secretsKey,
      pool,
      log: pino({ enabled: false }),
      client,
      wallet,
      directory,
      ada,
      shop,
      app
    }
  })

  afterAll(async () => {
    for (const close of opened.reverse()) await close()
  })

  it("are there for what a host calls first", () => {
    assert.isAtLeast(examples.length, 15)
  })

  it("have right types under strict settings", async () => {
    await ensureBuilt("embed")
    assert.strictEqual(await typeErrorsOf("embed", examples, given, "built"), "")
  }, 300_000)

  it.each(examples)("run: $place", async (example) => {
    const createSurety = async (options: embed.SuretyOptions) => {
      const surety = await embed.createSurety(options)
      opened.push(surety.close)
      return surety
    }
    const written: Array<string> = []
    const modules = {
      "@surety/embed": { ...embed, createSurety },
      "@surety/embed/testing": testing,
      "node:fs": { writeFileSync: (_: string, text: string) => written.push(text) },
      "node:http": { createServer: (handler: unknown) => ({ listen: () => assert.isFunction(handler) }) }
    }
    // An example that declares one of these names, such as `surety`, does not get the shared value of that name.
    const own = Object.entries(around).filter(([name]) => !example.code.includes(`const ${name} =`))
    const printed = await runExample(example, modules, Object.fromEntries(own))
    assert.notInclude(printed.join("\n"), "undefined")
    for (const text of written) assert.include(text, "create table")
  })
})
