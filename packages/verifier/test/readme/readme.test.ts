import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import express, { type Request, type Response } from "express"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { startWorker } from "../../../../tests/installed/Workerd.js"
import { newSecret, samplePayloads, sign } from "../../src/testing.js"
import { type Merchant, makeMerchant } from "./Merchant.js"
import { programs } from "./programs.js"
import { unusedBlocks } from "./Readme.js"

const secret = newSecret()
const text = `{ "refundId" : "refund_1",\n  "merchantReference": "RET-77", "amount": 2500.50, "reason": "Ọlá’s 🏺" }`
const markRefunded = vi.fn(async () => {})
const warn = vi.fn()
let merchant: Merchant

beforeAll(async () => {
  merchant = await makeMerchant()
})
afterAll(() => merchant.remove())
beforeEach(() => {
  vi.stubEnv("WEBHOOK_SECRET", secret)
  vi.stubGlobal("markRefunded", markRefunded)
  vi.stubGlobal("markPaid", vi.fn())
  vi.spyOn(console, "warn").mockImplementation(warn)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.clearAllMocks()
})

const delivery = (payload = text) => sign({ secrets: secret, topic: "refund.completed", payload })

const serving = async (program: string, use: (url: string) => Promise<void>) => {
  const { start } = (await merchant.load(program)) as unknown as {
    readonly start: (listening: (port: number) => void) => { readonly close: () => unknown }
  }
  const listening = Promise.withResolvers<number>()
  const server = start(listening.resolve)
  await use(`http://127.0.0.1:${await listening.promise}`).finally(() => server.close())
}

const post = async (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
) => {
  const response = await fetch(url, {
    method: "POST",
    ...request,
    headers: { ...request.headers, connection: "close" }
  })
  return [response.status, await response.json()]
}

it("every block of code is part of a program that is run here", () => {
  programs()
  expect(unusedBlocks().map(({ language }) => language)).toEqual(["sh", "sql"])
})

it("every program is right by its types, under strict settings", async () => {
  expect(await merchant.typeErrors()).toBe("")
})

describe.each([
  ["Hono 4", "hono.ts", 1_000_000],
  ["Express 5", "express.ts", 1_000_000],
  ["Express 5 with express.raw", "expressRaw.ts", 100_000],
  ["Fastify 5", "fastify.ts", 1_000_000],
  ["node:http", "http.ts", 1_000_000]
])("mounted in %s", (_, program, bytes) => {
  it("a genuine delivery is worked on once, and a forged one is refused", () =>
    serving(program, async (url) => {
      const genuine = await delivery()
      expect(await post(`${url}/webhooks`, genuine)).toEqual([200, { outcome: "processed" }])
      expect(await post(`${url}/webhooks`, genuine)).toEqual([200, { outcome: "duplicate" }])
      const tidied = { ...(await delivery()), body: JSON.stringify(JSON.parse(text)) }
      expect(await post(`${url}/webhooks`, tidied)).toMatchObject([400, { reason: "signature_mismatch" }])
      expect(markRefunded.mock.calls).toEqual([["RET-77", 2500.5]])
      expect(warn).toHaveBeenCalledWith("signature_mismatch", expect.stringContaining("parsed and written again"))
    }))

  it(`a body of ${bytes} bytes is received whole`, () =>
    serving(program, async (url) => {
      const large = await delivery(JSON.stringify({ refundId: "refund_1", reason: "₦".repeat(bytes / 3 - 20) }))
      expect(await post(`${url}/webhooks`, large)).toEqual([200, { outcome: "processed" }])
    }))
})

it.each(["express.ts", "fastify.ts"])("%s still parses what other routes are sent", (program) =>
  serving(program, async (url) => {
    const other = { headers: { "content-type": "application/json" }, body: '{"amount":1}' }
    expect(await post(`${url}/other`, other)).toEqual([200, { parsed: { amount: 1 } }])
  })
)

it("Express with express.json() in front logs what is wrong", () =>
  serving("expressWrong.ts", async (url) => {
    expect(await post(`${url}/webhooks`, await delivery())).toEqual([
      500,
      { outcome: "refused", reason: "body_not_raw" }
    ])
    expect(warn).toHaveBeenCalledWith("body_not_raw", expect.stringContaining("before express.json()"))
  }))

it("Next.js: the route handler takes a web request", async () => {
  const { POST } = (await merchant.load("app/webhooks/route.ts")) as unknown as {
    readonly POST: (request: globalThis.Request) => Promise<globalThis.Response>
  }
  const answer = async (genuine: object) => {
    const response = await POST(new globalThis.Request("https://shop.example/webhooks", { method: "POST", ...genuine }))
    return [response.status, await response.json()]
  }
  const genuine = await delivery()
  expect(await answer(genuine)).toEqual([200, { outcome: "processed" }])
  expect(await answer({ ...genuine, body: "{}" })).toMatchObject([400, { reason: "signature_mismatch" }])
})

describe("AWS Lambda", () => {
  it.each([
    ["a function URL's", { version: "2.0" }, false],
    ["a function URL's in base64", { version: "2.0" }, true],
    ["API Gateway's REST", { httpMethod: "POST", multiValueHeaders: {} }, false]
  ])("takes %s event", async (_how, shape, isBase64Encoded) => {
    const { handler } = (await merchant.load("lambda.ts")) as unknown as {
      readonly handler: (event: object) => Promise<{ readonly statusCode: number; readonly body: string }>
    }
    const { body, headers } = await delivery()
    // Events of version 2.0, such as those from function urls, have lower-case header names. REST APIs keep the names
    // as sent.
    const named =
      "version" in shape ? Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]) : undefined
    const event = {
      ...shape,
      headers: named === undefined ? headers : Object.fromEntries(named),
      body: isBase64Encoded ? Buffer.from(body).toString("base64") : body,
      isBase64Encoded
    }
    expect(await handler(event)).toEqual({
      statusCode: 200,
      headers: { "content-type": "application/json" },
      body: '{"outcome":"processed"}'
    })
    expect((await handler({ ...event, body: undefined })).statusCode).toBe(500)
  })
})

it("NestJS: the controller takes the request whose raw body Nest has kept", async () => {
  // Nest itself is not installed in these tests. On Express, its `rawBody: true` does the same as this `verify`
  // option of `express.json`.
  const keepRawBody = express.json({
    verify: (request: Request & { rawBody?: Buffer }, _response, buffer) => {
      request.rawBody = buffer
    }
  })
  const { WebhooksController } = (await merchant.load("nest.ts")) as unknown as {
    readonly WebhooksController: new () => { readonly receive: (request: Request, response: Response) => Promise<void> }
  }
  const controller = new WebhooksController()
  const app = express().post("/webhooks", keepRawBody, (request, response) => controller.receive(request, response))
  const server = createServer(app).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  expect(await post(url, await delivery())).toEqual([200, { outcome: "processed" }])
  expect(await post(url, { ...(await delivery()), body: "{}" })).toMatchObject([400, { reason: "signature_mismatch" }])
  server.close()
})

it("Cloudflare Workers: the handler is the worker", async () => {
  const worker = await startWorker(await merchant.bundle("worker.ts"), "2026-11-01", { WEBHOOK_SECRET: secret })
  try {
    expect(await post(worker.url, await delivery())).toEqual([200, { outcome: "processed" }])
    expect(await post(worker.url, { ...(await delivery()), body: "{}" })).toMatchObject([400, { outcome: "refused" }])
  } finally {
    await worker.stop()
  }
})

it("verify gives the event, or refuses with the reason", async () => {
  const refuse = vi.fn()
  const log = vi.spyOn(console, "log").mockImplementation(() => {})
  vi.stubGlobal("refuse", refuse)
  const { receive } = (await merchant.load("verify.ts")) as unknown as {
    readonly receive: (rawBody: Buffer, request: globalThis.Request) => Promise<void>
  }
  const payload = samplePayloads["refund.completed"]
  const { body, headers } = await sign({ secrets: secret, topic: "refund.completed", payload })
  const request = new globalThis.Request("https://shop.example/webhooks", { method: "POST", headers })
  await receive(Buffer.from(body), request)
  expect(log).toHaveBeenCalledWith(2500.5, "NGN")
  await receive(Buffer.from("{}"), request)
  expect(refuse).toHaveBeenCalledWith(400, "signature_mismatch")
})

it("both secrets of a rotation are given in one setting", async () => {
  const [newer, older] = [newSecret(), newSecret()]
  vi.stubEnv("WEBHOOK_SECRETS", `${newer},${older}`)
  const { webhooks } = (await merchant.load("rotation.ts")) as unknown as {
    readonly webhooks: { readonly receive: (delivery: object) => Promise<{ readonly outcome: string }> }
  }
  for (const secrets of [older, [newer, older], newer]) {
    const signed = await sign({ secrets, topic: "refund.completed", payload: text })
    expect((await webhooks.receive(signed)).outcome).toBe("processed")
  }
})

it("a receiver is tested with a delivery of one's own", () =>
  serving("express.ts", async (url) => {
    vi.stubEnv("RECEIVER_URL", `${url}/webhooks`)
    const { tryOut } = (await merchant.load("testing.ts")) as unknown as {
      readonly tryOut: () => Promise<globalThis.Response>
    }
    expect((await tryOut()).status).toBe(200)
    expect(markRefunded.mock.calls).toEqual([["RET-77", 100]])
  }))
