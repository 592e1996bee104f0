import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { createSurety, StoreNotOpened, type Surety, unwrap } from "@surety/embed"
import { verify } from "@surety/verifier"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sqliteStore } from "../src/sqliteStore.ts"

const directory = mkdtempSync(join(tmpdir(), "custom-store-"))
const file = join(directory, "surety.sqlite")
const secretsKey = Buffer.alloc(32, 7).toString("base64")
const open = () => createSurety({ store: sqliteStore(file), secretsKey, targets: "any" })

interface Delivery {
  readonly headers: Record<string, string>
  readonly body: string
}

const deliveries: Array<Delivery> = []
const receiver = createServer(async (request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  deliveries.push({ headers, body: await text(request) })
  response.writeHead(204).end()
})

let surety: Surety
let apiKey = ""
let webhookSecret = ""
const scope = { merchantId: "", environment: "TEST" as "TEST" | "LIVE" }
let serviceId = ""

const refund = async (idempotencyKey: string, body: object) => {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "idempotency-key": idempotencyKey
  }
  const url = "http://localhost/v1/refunds"
  const response = await surety.handler(new Request(url, { method: "POST", headers, body: JSON.stringify(body) }))
  return { status: response.status, body: await response.json() }
}

/** As 15 seconds would, which a refund is held for while its wallet is asked. */
const letHoldsRunOut = () => {
  const sqlite = new DatabaseSync(file)
  sqlite.exec("update refund set record = json_remove(record, '$.heldUntil')")
  sqlite.close()
}

beforeAll(async () => {
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const address = receiver.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}`
  surety = await open()
  const profile = { name: "Ada Books", legalName: "Ada Books Ltd", contactName: "Ada", contactEmail: "a@books.example" }
  scope.merchantId = unwrap(await surety.merchants.create({ ...profile, country: "NG", businessType: "retail" })).id
  unwrap(await surety.merchants.changeStatus({ merchantId: scope.merchantId, status: "ACTIVE" }))
  apiKey = unwrap(await surety.apiKeys.create(scope)).secret
  const endpoint = unwrap(
    await surety.webhooks.register({ ...scope, url, topics: ["transaction.settled", "refund.completed"] })
  )
  webhookSecret = endpoint.secret
  const person = { environment: "TEST", userId: "user-7", linkedTo: scope.merchantId } as const
  serviceId = unwrap(await surety.consumers.create(person)).serviceId
})

afterAll(async () => {
  await surety.close()
  receiver.close()
  rmSync(directory, { recursive: true })
})

describe("Surety on SQLite", () => {
  it("refunds a payment over HTTP, and answers the same request the same", async () => {
    unwrap(await surety.payments.record({ ...scope, transactionId: "order-1", serviceId, amount: 1000 }))
    const first = await refund("damaged", { transaction_id: "order-1", amount: 200.5 })
    expect(first).toMatchObject({ status: 201, body: { amount: 200.5, status: "COMPLETED" } })
    expect((await refund("damaged", { transaction_id: "order-1", amount: 200.5 })).body).toEqual(first.body)
    const tooMuch = await refund("rest", { transaction_id: "order-1", amount: 800 })
    expect(tooMuch).toMatchObject({ status: 400, body: { code: "amount_exceeds_refundable" } })
  })

  it("tells the merchant's endpoint of both, signed", async () => {
    await surety.workers.start()
    await expect.poll(() => deliveries.length, { timeout: 20_000 }).toBe(2)
    await surety.workers.stop()
    const told = deliveries.find(({ headers }) => headers["x-service-event"] === "refund.completed")
    const signed = { secrets: webhookSecret, headers: told?.headers ?? {}, body: Buffer.from(told?.body ?? "") }
    expect(await verify(signed)).toMatchObject({ ok: true })
    expect(JSON.parse(told?.body ?? "{}")).toMatchObject({ transactionId: "order-1", amount: 200.5 })
  })

  it("keeps a person's consent, the readings under it and its receipts", async () => {
    const live = { ...scope, environment: "LIVE" } as const
    const person = unwrap(await surety.consumers.create({ userId: "user-7", displayName: "Bola Ade" }))
    const asked = { ...live, serviceId: person.serviceId, requestedFields: ["display_name"], purpose: "Delivery" }
    const { dataRequest } = unwrap(await surety.dataRequests.create({ ...asked, idempotencyKey: "ask" }))
    const actor = { kind: "PERSON" } as const
    const { grant } = unwrap(await surety.dataRequests.approve({ dataRequestId: dataRequest.id, actor }))
    const read = { ...live, serviceId: person.serviceId }
    expect(unwrap(await surety.identity.read(read)).fields).toMatchObject({ display_name: "Bola Ade" })
    unwrap(await surety.grants.revoke({ grantId: grant.id, actor }))
    expect(await surety.identity.read(read)).toMatchObject({ ok: false, error: { _tag: "ConsentRequired" } })
    expect(unwrap(await surety.receipts.verifyChain(live))).toMatchObject({ receipts: 2, faults: [] })
  })

  it("verifies a person in the sandbox", async () => {
    const whom = { userId: "user-7", kind: "bvn", id: "11122233344", verificationConsent: true } as const
    const asked = { ...scope, ...whom, idempotencyKey: "verify", validation: { firstName: "Bola" } }
    const { verification } = unwrap(await surety.verifications.create(asked))
    const found = unwrap(await surety.verifications.get({ ...scope, reference: verification.reference }))
    expect(found).toEqual(verification)
  })

  it("keeps a refund whose wallet did not answer, and finishes it when it is asked again", async () => {
    const asked: Array<string> = []
    const credit = async ({ refundId }: { readonly refundId: string }) => {
      asked.push(refundId)
      if (asked.length === 1) throw new Error("The line is dead.")
      return { credited: true } as const
    }
    const options = { store: sqliteStore(file), secretsKey, wallet: { credit } }
    const request = { ...scope, idempotencyKey: "lost", transactionId: "order-1", amount: 100 }
    const first = await createSurety(options)
    expect(await first.refunds.create(request)).toMatchObject({ ok: false, error: { _tag: "RefundOutcomeUnknown" } })
    expect(unwrap(await first.refunds.list(scope)).data[0]).toMatchObject({ amount: 100, status: "PENDING" })
    await first.close()
    letHoldsRunOut()
    const second = await createSurety(options)
    expect(unwrap(await second.refunds.create(request)).refund.status).toBe("COMPLETED")
    expect(new Set(asked).size).toBe(1)
    await second.close()
  })

  it("has it all when the file is opened again", async () => {
    await surety.close()
    surety = await open()
    const [lost, kept, ...others] = unwrap(await surety.refunds.list(scope)).data
    expect(lost).toMatchObject({ amount: 100, status: "COMPLETED" })
    expect(others).toEqual([])
    const again = await refund("damaged", { transaction_id: "order-1", amount: 200.5 })
    expect(again.body).toMatchObject({ refundId: kept?.refundId })
    expect(unwrap(await surety.ledger.audit())).toEqual([])
    const sums = unwrap(await surety.ledger.trialBalance())
    // Into the wallet, to the merchant, and what went back twice.
    expect(sums).toEqual({
      balanced: true,
      lines: [{ environment: "TEST", currency: "NGN", debits: "230050", credits: "230050" }]
    })
  })

  it("does not start on a file that is no database, and says which", async () => {
    const notes = join(directory, "notes.txt")
    writeFileSync(notes, "Not a database, but notes that somebody has made.\n".repeat(100))
    const error = await createSurety({ store: sqliteStore(notes), secretsKey }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreNotOpened)
    expect(error).toMatchObject({
      message: `Surety cannot open the database ${notes}: file is not a database`
    })
  })
})
