import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { verify } from "@surety/verifier"
import { Effect, Redacted } from "effect"
import { type ReceivedDelivery, receiver } from "./support/Receiver.js"
import { runSurety, type ServerProcess, serverProcess } from "./support/ServerProcess.js"

interface Sending {
  readonly bearer?: string
  readonly body?: unknown
  readonly key?: string
}

const send = (server: ServerProcess, method: string, path: string, { bearer, body, key }: Sending = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  })

const applicant = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "Nigeria",
  businessType: "retail"
}

/** An active merchant with a LIVE key and a webhook endpoint. */
const activeMerchant = Effect.fnUntraced(function* (server: ServerProcess, shopUrl: string) {
  const asOperator = { bearer: server.operatorToken }
  const { body: merchant } = yield* send(server, "POST", "/merchants", { body: applicant })
  const status = `/operator/merchants/${merchant.id}/status`
  yield* send(server, "POST", status, { ...asOperator, body: { status: "ACTIVE" } })
  const issued = yield* send(server, "POST", `/merchants/${merchant.id}/api-keys`, { body: { environment: "LIVE" } })
  const endpoint = yield* send(server, "POST", `/merchants/${merchant.id}/webhooks`, { body: { url: shopUrl } })
  return { id: merchant.id as string, bearer: issued.body.secret as string, secret: endpoint.body.secret as string }
})

const payloadOf = Effect.fnUntraced(function* ({ body, headers }: ReceivedDelivery, secret: string) {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const verified = yield* Effect.promise(() => verify({ body, headers: flat, secrets: [secret] }))
  assert.isTrue(verified.ok)
  return [flat["x-service-event"] ?? "", verified.ok ? verified.event.payload : undefined] as const
})

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "debug"
})

describe("From a question to its person to the end of the grant", () => {
  it.live(
    "in LIVE, on PostgreSQL, with two servers",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* receiver
        const server = yield* serverProcess(environmentOf(url))
        const second = yield* serverProcess({ ...environmentOf(url), OPERATOR_TOKEN: server.operatorToken })
        const asOperator = { bearer: server.operatorToken }
        const { bearer, id, secret } = yield* activeMerchant(server, shop.url)
        const person = yield* send(server, "POST", "/operator/consumers", {
          ...asOperator,
          body: { displayName: "Chidi Eze", email: "chidi@mail.example" }
        })
        const { serviceId } = person.body

        const form = { service_id: serviceId, requested_fields: ["display_name", "email"], purpose: "Delivery" }
        const asked = yield* send(server, "POST", "/v1/data-requests", { bearer, body: form, key: "ask-1" })
        assert.strictEqual(asked.status, 201)
        assert.notProperty(asked.body, "consentUrl")
        const replay = yield* send(second, "POST", "/v1/data-requests", { bearer, body: form, key: '"ask-1"' })
        assert.deepStrictEqual([replay.status, replay.text], [201, asked.text])
        assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")

        const pending = yield* send(second, "GET", "/operator/data-requests/pending", asOperator)
        assert.lengthOf(pending.body.data, 1)
        const [question] = pending.body.data
        assert.deepInclude(question, { id: asked.body.id, merchantId: id, purpose: "Delivery" })
        assert.isTrue(question.consentUrl.startsWith(`${server.url}/consent/`), question.consentUrl)

        const identity = `/v1/identity?service_id=${serviceId}`
        assert.deepInclude((yield* send(server, "GET", identity, { bearer })).body, { code: "consent_required" })
        const approval = { ...asOperator, body: { fields: ["email"], actor: "branch-12" } }
        const approve = `/operator/data-requests/${asked.body.id}/approve`
        const decided = yield* Effect.all(
          [server, second, server, second].map((one) => send(one, "POST", approve, approval)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(decided.map(({ status }) => status).sort(), [201, 409, 409, 409])
        const approved = decided.find(({ status }) => status === 201)?.body

        const read = yield* send(second, "GET", identity, { bearer })
        assert.deepStrictEqual(read.body, {
          serviceId,
          fields: { service_id: serviceId, email: "chidi@mail.example" },
          notApproved: {
            display_name: "denied",
            country: "never_requested",
            phone_verified: "never_requested",
            kyc_status: "never_requested"
          }
        })

        yield* shop.waitFor(2)
        const payloads = yield* Effect.forEach(shop.received, (delivery) => payloadOf(delivery, secret))
        const common = { merchantId: id, dataRequestId: asked.body.id, serviceId }
        const grants = yield* send(server, "GET", `/operator/grants?merchantId=${id}`, asOperator)
        assert.deepStrictEqual(Object.fromEntries(payloads), {
          "merchant.identity.request.approved": {
            ...common,
            requestedFields: ["display_name", "email"],
            approvedFields: ["email"],
            status: "APPROVED",
            decidedAt: approved.decidedAt
          },
          "merchant.identity.consent_granted": {
            ...common,
            grantId: approved.grantId,
            fields: ["email"],
            grantedAt: approved.decidedAt,
            expiresAt: grants.body.data[0].expiresAt
          }
        })

        const revoke = `/operator/grants/${approved.grantId}/revoke`
        assert.deepInclude((yield* send(server, "POST", revoke, asOperator)).body, { status: "REVOKED" })
        assert.deepInclude((yield* send(second, "GET", identity, { bearer })).body, { code: "consent_required" })

        const receipts = yield* send(server, "GET", `/operator/merchants/${id}/receipts`, asOperator)
        assert.deepStrictEqual(
          receipts.body.data.map(({ sequence }: { readonly sequence: number }) => sequence),
          [2, 1]
        )
        const reads = yield* send(server, "GET", `/operator/identity-reads?merchantId=${id}`, asOperator)
        assert.lengthOf(reads.body.data, 1)
        const books = yield* Effect.promise(() => runSurety(["verify"], environmentOf(url)))
        assert.strictEqual(books.code, 0, books.stdout + books.stderr)
        for (const one of [server, second]) {
          assert.notInclude(one.stdout() + one.stderr(), "chidi@mail.example")
          assert.notInclude(one.stdout() + one.stderr(), question.consentUrl)
        }
      }).pipe(Effect.provide(RunDatabase.layer), Effect.scoped),
    300_000
  )
})
