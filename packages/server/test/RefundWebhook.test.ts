import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { verify, verifyServiceSignature } from "@surety/verifier"
import { Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { applicant } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type ReceivedDelivery, receiver } from "./support/Receiver.js"
import { type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** Sends a request with two `Idempotency-Key` headers of the same value. `fetch` would join them. */
const postTwiceKeyed = (url: string, body: unknown, bearer: string, key: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const sent = request(url, { method: "POST" }, (response) => {
          let text = ""
          response.on("data", (chunk) => {
            text += chunk
          })
          response.on("end", () => resolve(text))
        })
        sent.on("error", reject)
        sent.setHeader("content-type", "application/json")
        sent.setHeader("authorization", bearer)
        sent.setHeader("idempotency-key", [key, key])
        sent.end(JSON.stringify(body))
      })
  )

const json = ({ text }: { readonly text: string }) => JSON.parse(text)

const flatHeaders = ({ headers }: ReceivedDelivery) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Runs the main flow over HTTP alone: merchant, key, endpoint, consumer, payment, refund, webhook. */
const story = Effect.fnUntraced(function* (server: ServerProcess) {
  const shop = yield* receiver
  const merchant = json(yield* post(`${server.url}/merchants`, applicant))
  const key = json(yield* post(`${server.url}/merchants/${merchant.id}/api-keys`, { environment: "TEST" }))
  const endpoint = json(yield* post(`${server.url}/merchants/${merchant.id}/webhooks`, { url: shop.url }))
  const bearer = { authorization: `Bearer ${key.secret}` }
  const consumer = json(yield* post(`${server.url}/v1/test-helpers/consumers`, {}, bearer))
  const payment = json(
    yield* post(
      `${server.url}/v1/test-helpers/payments`,
      { service_id: consumer.serviceId, amount: 2500.5, reference: "order-7" },
      bearer
    )
  )
  const asked = { transaction_id: payment.transactionId, amount: 1000.25, merchant_reference: "credit-7" }
  const idempotent = { ...bearer, "idempotency-key": "refund-order-7" }
  const refund = yield* post(`${server.url}/v1/refunds`, asked, idempotent)
  const again = yield* post(`${server.url}/v1/refunds`, asked, idempotent)
  const doubled = yield* postTwiceKeyed(`${server.url}/v1/refunds`, asked, bearer.authorization, "refund-order-7")
  const committedAtMillis = Date.now()
  yield* shop.waitFor(2)
  const delivery = shop.received.find(({ headers }) => headers["x-service-event"] === "refund.completed")
  const waits = [(delivery?.atMillis ?? Number.NaN) - committedAtMillis]
  for (const more of [1, 2]) {
    const another = { transaction_id: payment.transactionId, amount: more }
    yield* post(`${server.url}/v1/refunds`, another, { ...bearer, "idempotency-key": `refund-more-${more}` })
    const answeredAtMillis = Date.now()
    yield* shop.waitFor(2 + more)
    waits.push((shop.received[1 + more]?.atMillis ?? Number.NaN) - answeredAtMillis)
  }
  return { delivery, waits, merchant, endpoint, refund, again, doubled }
})

const check = Effect.fnUntraced(function* (server: ServerProcess) {
  const { again, delivery, doubled, endpoint, merchant, refund, waits } = yield* story(server)
  assert.strictEqual(merchant.status, "PENDING_REVIEW")
  assert.strictEqual(merchant.country, "NG")
  assert.strictEqual(refund.status, 201)
  assert.deepInclude(json(refund), { status: "COMPLETED", amount: 1000.25, currency: "NGN", reference: "order-7" })
  assert.deepStrictEqual([again.status, again.text], [201, refund.text])
  assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
  assert.deepInclude(JSON.parse(doubled), { status: 400, code: "idempotency_key_invalid" })

  assert.isDefined(delivery)
  if (delivery === undefined) return
  // Checks only the shortest wait, since a busy machine may delay a delivery.
  assert.isBelow(Math.min(...waits), 1000, `milliseconds from the answer to the delivery: ${waits}`)
  const headers = flatHeaders(delivery)
  assert.strictEqual(headers["user-agent"], "Service-Webhooks/1.0")
  assert.strictEqual(headers["x-service-environment"], "TEST")
  assert.strictEqual(headers["x-service-delivery-attempt"], "1")
  assert.strictEqual(headers["webhook-id"], headers["x-service-event-id"])

  const verified = yield* Effect.promise(() => verify({ body: delivery.body, headers, secrets: [endpoint.secret] }))
  assert.deepInclude(verified, { ok: true })
  assert.deepStrictEqual(verified.ok ? verified.event.payload : undefined, json(refund))
  const plain = yield* Effect.promise(() =>
    verifyServiceSignature({ body: delivery.body, headers, secrets: [endpoint.secret] })
  )
  assert.deepInclude(plain, { ok: true })
  assert.doesNotThrow(() => new Webhook(endpoint.secret).verify(delivery.body.toString(), headers))
  const foreign = yield* Effect.promise(() =>
    verify({ body: delivery.body, headers, secrets: [`whsec_${Buffer.alloc(32).toString("base64")}`] })
  )
  assert.deepInclude(foreign, { ok: false })
})

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "warning"
})

describe("A refund", () => {
  it.live("of a new merchant arrives as a verified refund.completed, on PostgreSQL", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const server = yield* serverProcess(environmentOf(url))
      yield* check(server)
      assert.strictEqual(yield* Effect.promise(() => server.stop()), 0)
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped)
  )
})
