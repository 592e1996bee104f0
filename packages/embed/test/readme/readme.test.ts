import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import path from "node:path"
import { getRequestListener } from "@hono/node-server"
import { Module } from "@nestjs/common"
import { createSurety, type HostWallet, postgresStore, unwrap } from "@surety/embed"
import express from "express"
import { Pool } from "pg"
import { afterAll, assert, describe, it } from "vitest"
import { hostDatabase } from "../HostDatabase.js"
import { urlOf } from "../mounts/Mount.js"
import { makeSurety, secretsKey } from "../Shop.js"
import { makeSale, refund } from "./calls.js"
import { mountHealth } from "./health.js"
import { mountExpress, mountFastify, mountHono, mountNest, mountNext } from "./mounts.js"
import { run } from "./quickStart.js"
import { testShop, testWallet } from "./testing.js"
import { giveBack } from "./transaction.js"

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")

const programs = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) =>
    lines(readFileSync(path.join(import.meta.dirname, file), "utf8").replace(/export const run = .*\n/, ""))
  )

const readme = readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8")
const blocks = [...readme.matchAll(/```ts\n(?<code>.*?)```/gs)].map(({ groups }) => lines(groups?.code ?? ""))

describe("The README", () => {
  it("shows nothing that is not compiled and run here", () => {
    assert.lengthOf(blocks, 11)
    for (const block of blocks)
      assert.isTrue(
        programs.some((program) => program.includes(block)),
        block
      )
  })

  it("starts and stops", async () => {
    const { server, stop, surety } = await run(await hostDatabase(), secretsKey, 0)
    if (!server.listening) await once(server, "listening")
    const answer = await fetch(`${urlOf(server)}/pay/v1/whoami`, { headers: { connection: "close" } })
    assert.strictEqual(answer.status, 401)
    const closed = once(server, "close")
    stop()
    await closed
    await surety.close()
    process.off("SIGTERM", stop)
  })

  it("serves health and metrics", async () => {
    const surety = await makeSurety()
    const app = express()
    mountHealth(app, surety)
    const server = app.listen(0)
    await once(server, "listening")
    const health = await fetch(`${urlOf(server)}/readyz`)
    assert.strictEqual(health.status, 200)
    assert.include(await health.json(), { ready: true, workers: "stopped" })
    const metrics = await fetch(`${urlOf(server)}/metrics`)
    assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
    assert.match(await metrics.text(), /^surety_ready 1$/m)
    server.close()
    server.closeAllConnections()
  })

  it("tests a host's own parts", async () => {
    const balances = new Map<string, bigint>()
    const seen = new Set<string>()
    const wallet: HostWallet = {
      credit: async ({ amountMinor, refundId, userId }) => {
        if (!seen.has(refundId)) balances.set(userId, (balances.get(userId) ?? 0n) + amountMinor)
        seen.add(refundId)
        return { credited: true }
      }
    }
    assert.strictEqual(await testShop(wallet), 1000)
    let customers = 0
    await testWallet(wallet, {
      addCustomer: async () => {
        customers += 1
        return `customer-${customers}`
      },
      balanceInKobo: async (userId) => balances.get(userId) ?? 0n
    })
  })

  it("calls", async () => {
    const surety = await makeSurety()
    const scope = await makeSale(surety)
    assert.strictEqual(await refund(surety, scope, { returnId: "a", amount: 200.5 }), "refunded 200.5")
    assert.strictEqual(
      await refund(surety, scope, { returnId: "b", amount: 1200.5 }),
      "refused: AmountExceedsRefundable"
    )
    assert.match(await refund(surety, scope, { returnId: "c", amount: -1 }), /^amount: /)
  })

  it("gives an order back in one transaction", async () => {
    const pool = new Pool({ connectionString: await hostDatabase() })
    pool.on("error", () => {})
    const surety = await createSurety({ store: postgresStore({ pool }), secretsKey })
    afterAll(async () => {
      await surety.close()
      await pool.end()
    })
    const { merchantId } = await makeSale(surety)
    await pool.query("create table orders (id text primary key, status text not null)")
    await pool.query("insert into orders values ('order-1', 'paid'), ('order-2', 'paid')")
    assert.strictEqual(unwrap(await giveBack(pool, surety, { id: "order-1", merchantId })).amount, 1200.5)
    assert.isFalse((await giveBack(pool, surety, { id: "order-2", merchantId })).ok)
    const { rows } = await pool.query("select status from orders order by id")
    assert.deepStrictEqual(rows, [{ status: "returned" }, { status: "paid" }])
  })
})

describe("The README's mounts", () => {
  class AppModule {}
  Module({})(AppModule)

  const open = () => makeSurety({ basePath: "/pay" })
  const ask = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, "127.0.0.1")
    afterAll(() => server.close())
    await once(server, "listening")
    const answer = await fetch(`${urlOf(server)}/pay/v1/whoami`, { headers: { connection: "close" } })
    return (await answer.json()) as { readonly code: string }
  }

  it("work in Express", async () => {
    assert.strictEqual((await ask(mountExpress(await open()))).code, "missing_api_key")
  })

  it("work in Fastify", async () => {
    const app = mountFastify(await open())
    await app.ready()
    assert.strictEqual((await ask((request, response) => app.routing(request, response))).code, "missing_api_key")
  })

  it("work in Hono", async () => {
    assert.strictEqual((await ask(getRequestListener(mountHono(await open()).fetch))).code, "missing_api_key")
  })

  it("work in NestJS", async () => {
    const app = await mountNest(await open(), AppModule)
    await app.init()
    assert.strictEqual((await ask(app.getHttpAdapter().getInstance())).code, "missing_api_key")
  })

  it("work as a route handler", async () => {
    const { GET } = mountNext(await open())
    const answer = await GET(new Request("https://shop.example/pay/v1/whoami"))
    assert.deepInclude(await answer.json(), { code: "missing_api_key" })
  })
})
