import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import path from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { verify } from "@surety/verifier"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const directory = path.resolve(import.meta.dirname, "..")
const scope = Effect.runSync(Scope.make())

interface Delivery {
  readonly headers: Record<string, string>
  readonly body: string
}

const deliveries: Array<Delivery> = []
let receiver: Server
let shop: ChildProcess
let url: string

const startReceiver = async () => {
  receiver = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    deliveries.push({ headers, body: await text(request) })
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const address = receiver.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}`
}

beforeAll(async () => {
  const build = path.resolve(directory, "../../scripts/build.ts")
  const built = promisify(execFile)(process.execPath, [build, "--if-stale", "--js", "embed"])
  const context = await Effect.runPromise(Layer.buildWithScope(RunDatabase.layer, scope))
  await built
  shop = spawn(process.execPath, [path.join(directory, "src/main.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PORT: "0",
      DATABASE_URL: Redacted.value(Context.get(context, TestDatabase).url),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
    }
  })
  if (shop.stdout === null) throw new Error("The shop's output is not piped.")
  const [ready] = await once(createInterface({ input: shop.stdout }), "line")
  url = String(ready).replace("shop listening on ", "")
}, 120_000)

afterAll(async () => {
  receiver?.close()
  shop?.kill("SIGKILL")
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const post = async (at: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${at}`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close", ...headers },
    body: JSON.stringify(body)
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const walletOf = async (userId: string) => {
  const response = await fetch(`${url}/wallets/${userId}`, { headers: { connection: "close" } })
  return ((await response.json()) as { readonly kobo: number }).kobo
}

const delivered = async (count: number) => {
  while (deliveries.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
  return deliveries
}

describe("the shop", () => {
  let seller: Record<string, string> = {}

  it("takes an order from a wallet of its own, with Surety's payment beside it", async () => {
    const webhookUrl = await startReceiver()
    await post("/users", { id: "user-7", name: "Bola", email: "bola@shop.example", kobo: 500_000 })
    const joined = await post("/sellers", { id: "books", name: "Ada Books", email: "ada@books.example", webhookUrl })
    expect(joined.status).toBe(201)
    seller = joined.body
    for (const id of ["order-1", "order-2"]) {
      const order = await post("/orders", { id, sellerId: "books", userId: "user-7", kobo: 120_050 })
      expect(order.body).toMatchObject({ transactionId: id, userId: "user-7", amount: 1200.5, status: "SETTLED" })
    }
    expect(await walletOf("user-7")).toBe(500_000 - 2 * 120_050)
  })

  it("takes none that the wallet cannot pay, and leaves no payment behind", async () => {
    const refused = await post("/orders", { id: "order-3", sellerId: "books", userId: "user-7", kobo: 900_000 })
    expect(refused).toEqual({ status: 409, body: { error: "There is not enough in the wallet." } })
  })

  it("returns an order: refund, wallet and order in one transaction, and the seller gets a webhook", async () => {
    const returned = await post("/orders/order-1/return", {})
    expect(returned.body).toMatchObject({ transactionId: "order-1", amount: 1200.5, status: "COMPLETED" })
    expect(await walletOf("user-7")).toBe(500_000 - 120_050)
    const again = await post("/orders/order-1/return", {})
    expect(again.body).toEqual(returned.body)
    expect(await walletOf("user-7")).toBe(500_000 - 120_050)

    const events = await delivered(3)
    const refund = events.find(({ headers }) => headers["x-service-event"] === "refund.completed")
    expect(JSON.parse(refund?.body ?? "{}")).toMatchObject({ transactionId: "order-1", amount: 1200.5 })
    const verified = await verify({
      secrets: seller.webhookSecret ?? "",
      headers: refund?.headers ?? {},
      body: Buffer.from(refund?.body ?? "")
    })
    expect(verified.ok).toBe(true)
  })

  it("lets the seller refund over HTTP, into the same wallet", async () => {
    const headers = { authorization: `Bearer ${seller.apiKey}`, "idempotency-key": "damaged" }
    const refund = await post("/pay/v1/refunds", { transaction_id: "order-2", amount: 200.5 }, headers)
    expect(refund.body).toMatchObject({ amount: 200.5, status: "COMPLETED" })
    expect(await walletOf("user-7")).toBe(500_000 - 120_050 + 20_050)
    const tooMuch = await post("/orders/order-2/return", {})
    expect(tooMuch).toEqual({ status: 409, body: { error: "Refused: AmountExceedsRefundable" } })
  })

  it("stops in order when asked", async () => {
    shop.kill("SIGTERM")
    expect(await once(shop, "exit")).toEqual([0, null])
  })
})
