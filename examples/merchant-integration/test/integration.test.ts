import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { type Client, createClient } from "@surety/client"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Program, startProgram } from "./Program.js"

const root = path.resolve(import.meta.dirname, "../../..")
const main = path.resolve(import.meta.dirname, "../src/main.ts")

let directory: string
let service: Program
let shop: Program
let merchant: Client

const post = async (url: string, body: object): Promise<Record<string, string>> => {
  const headers = { "content-type": "application/json" }
  return JSON.parse(await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).text())
}

/** Finds a free port in advance: the webhook's url must be registered before the shop listens. */
const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === "object" ? (address?.port ?? 0) : 0
}

beforeAll(async () => {
  const build = [path.join(root, "scripts/build.ts"), "--if-stale", "--js", "server", "client", "verifier"]
  await promisify(execFile)(process.execPath, build)
  directory = await mkdtemp(path.join(tmpdir(), "surety-merchant-integration-"))
  const server = path.join(root, "packages/server/dist/published/main.js")
  service = await startProgram(server, ["serve"], { PORT: "0", DATA_DIR: directory, LOG_LEVEL: "warning" })
  const { id } = await post(`${service.url}/merchants`, {
    name: "Ada Books",
    legalName: "Ada Books Ltd",
    contactName: "Ada Obi",
    contactEmail: "ada@books.example",
    country: "NG",
    businessType: "retail"
  })
  const { secret: apiKey = "" } = await post(`${service.url}/merchants/${id}/api-keys`, { environment: "TEST" })
  const port = await freePort()
  const endpoint = await post(`${service.url}/merchants/${id}/webhooks`, { url: `http://127.0.0.1:${port}/webhooks` })
  merchant = createClient({ apiKey, baseUrl: service.url })
  shop = await startProgram(main, [], {
    PORT: String(port),
    SERVICE_URL: service.url,
    SERVICE_API_KEY: apiKey,
    WEBHOOK_SECRET: endpoint.secret ?? ""
  })
}, 180_000)
afterAll(async () => {
  await shop?.stop()
  await service?.stop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

const ask = async (method: string, route: string, body?: object) => {
  const response = await fetch(shop.url + route, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

it("asks consent, and reads what was approved and nothing else", async () => {
  const { serviceId } = await merchant.testHelpers.createConsumer({
    display_name: "Ada Obi",
    email: "ada@mail.example"
  })
  expect(await ask("GET", `/customers/${serviceId}`)).toMatchObject({ status: 422, body: { code: "consent_required" } })
  const asked = await ask("POST", `/customers/${serviceId}/consent`, {})
  expect(asked).toMatchObject({
    status: 200,
    body: { status: "PENDING", consentUrl: expect.stringContaining("/consent/") }
  })
  await merchant.testHelpers.approveDataRequest(asked.body.id, { fields: ["display_name"] })
  expect(await ask("GET", `/customers/${serviceId}`)).toMatchObject({
    status: 200,
    body: { fields: { display_name: "Ada Obi" }, notApproved: { email: "denied" } }
  })
  await expect.poll(shop.output, { timeout: 15_000 }).toContain("merchant.identity.request.approved event_")
})

it("verifies a customer", async () => {
  const { serviceId } = await merchant.testHelpers.createConsumer()
  const verification = (attempt: string, bvn: string) =>
    ask("PUT", `/customers/${serviceId}/verifications/${attempt}`, { bvn, firstName: "Ada" })
  expect(await verification("one", "22222222222")).toMatchObject({
    status: 200,
    body: { status: "VERIFIED", checks: { first_name: "MATCH", last_name: "NOT_CHECKED" } }
  })
  expect((await verification("two", "00000000000")).body).toMatchObject({
    status: "FAILED",
    failureReason: "id_not_found"
  })
  expect(shop.output()).not.toContain("22222222222")
})

it("refunds each return once, and books what the webhooks tell", async () => {
  const { serviceId } = await merchant.testHelpers.createConsumer()
  const { reference = "" } = await merchant.testHelpers.createPayment({ service_id: serviceId, amount: 2500.5 })
  const order = `/orders/${reference}`
  const refund = () => ask("PUT", `${order}/returns/return-1`, { kobo: "100025" })
  const [first, again] = await Promise.all([refund(), refund()])
  expect(first).toMatchObject({ status: 200, body: { status: "COMPLETED" } })
  expect(again).toEqual(first)
  expect((await ask("PUT", `${order}/returns/return-2`, { kobo: "10" })).status).toBe(200)
  expect(await ask("PUT", `${order}/returns/return-3`, { kobo: "999999" })).toMatchObject({
    status: 422,
    body: { code: "amount_exceeds_refundable" }
  })
  const booked = async () => (await ask("GET", order)).body
  await expect.poll(booked, { timeout: 15_000 }).toEqual({ reference, paidKobo: "250050", refundedKobo: "100035" })
})

it("believes no webhook that the service has not signed", async () => {
  const forged = await fetch(`${shop.url}/webhooks`, { method: "POST", body: '{"amount":1}' })
  expect(forged.status).toBe(400)
})

it.each([
  [{ WEBHOOK_SECRET: "whsec_x" }, "apiKey must be your backend's secret key"],
  [{ SERVICE_API_KEY: "sk_test_1" }, "WEBHOOK_SECRET is not set"],
  [{ SERVICE_API_KEY: "sk_test_1", WEBHOOK_SECRET: "whsec_x", SERVICE_URL: "http://pay.example" }, "is not https"]
])("says what is missing: %j", async (settings, why) => {
  await expect(startProgram(main, [], settings)).rejects.toThrow(why)
})
