import { assert, describe, it } from "@effect/vitest"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { verify, verifyServiceSignature, verifySignature } from "@surety/verifier"
import { Effect, Redacted } from "effect"
import type { Page } from "playwright-core"
import { Webhook } from "standardwebhooks"
import * as Chromium from "./support/Chromium.js"
import { runHere } from "./support/CommandHere.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type ReceivedDelivery, receiver } from "./support/Receiver.js"
import { type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const hookSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`

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
    return { status: response.status, body: JSON.parse(await response.text()) }
  })

const flat = ({ headers }: ReceivedDelivery) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const window = Effect.flatMap(Chromium.browser, (browser) =>
  Effect.promise(async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    return context.newPage()
  })
)

const readAloud = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join("\n")

/** Creates an active merchant with a LIVE key and a webhook endpoint, and a person in LIVE. */
const partiesOf = Effect.fnUntraced(function* (server: ServerProcess, shopUrl: string) {
  const operator = { bearer: server.operatorToken }
  const applicant = {
    ...{ name: "Corner Shop", legalName: "Corner Shop Ltd", contactName: "Bola Ade", contactEmail: "b@corner.example" },
    ...{ country: "Nigeria", businessType: "retail" }
  }
  const { body: merchant } = yield* send(server, "POST", "/merchants", { body: applicant })
  yield* send(server, "POST", `/operator/merchants/${merchant.id}/status`, { ...operator, body: { status: "ACTIVE" } })
  const { body: key } = yield* send(server, "POST", `/merchants/${merchant.id}/api-keys`, {
    body: { environment: "LIVE" }
  })
  const { body: endpoint } = yield* send(server, "POST", `/merchants/${merchant.id}/webhooks`, {
    body: { url: shopUrl }
  })
  const { body: person } = yield* send(server, "POST", "/operator/consumers", {
    ...operator,
    body: { displayName: "Chidi Eze", email: "chidi@mail.example" }
  })
  return { merchant, bearer: key.secret as string, secret: endpoint.secret as string, person }
})

const environmentOf = (databaseUrl: Redacted.Redacted, more: Readonly<Record<string, string>>) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "debug",
  CONSENT_NOTIFY_SECRET: hookSecret,
  CONSENT_PAGE_NAME: "Naira Pay",
  ...more
})

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("A consent, from the request to the refused read", () => {
  it.live(
    "asked by a hook, given and taken back on the hosted page, on PostgreSQL",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* receiver
        const platform = yield* receiver
        const environment = environmentOf(url, { CONSENT_NOTIFY_URL: platform.url, BASE_PATH: "/pay" })
        const server = yield* serverProcess(environment)
        const { bearer, merchant, person, secret } = yield* partiesOf(server, shop.url)

        const asked = yield* send(server, "POST", "/v1/data-requests", {
          ...{ bearer, key: "ask-1" },
          body: {
            service_id: person.serviceId,
            requested_fields: ["display_name", "email"],
            purpose: "To deliver your order"
          }
        })
        assert.strictEqual(asked.status, 201)
        assert.notProperty(asked.body, "consentUrl")

        yield* platform.waitFor(1)
        const [notice] = platform.received
        if (notice === undefined) return assert.fail("the platform gets the event")
        const told = JSON.parse(String(notice.body))
        assert.deepInclude(told, {
          type: "consent.requested",
          dataRequestId: asked.body.id,
          userId: person.userId,
          requestedFields: ["display_name", "email"],
          merchant: { id: merchant.id, businessCode: merchant.businessCode, name: "Corner Shop" }
        })
        assert.strictEqual(flat(notice)["x-service-event"], "consent.requested")
        assert.doesNotThrow(() => new Webhook(hookSecret).verify(String(notice.body), flat(notice)))
        const signed = { body: notice.body, headers: flat(notice), secrets: [hookSecret] }
        assert.deepInclude(yield* Effect.promise(() => verifyServiceSignature(signed)), { ok: true })
        assert.deepInclude(yield* Effect.promise(() => verifySignature(signed)), { ok: true })
        const consentUrl: string = told.consentUrl
        assert.isTrue(consentUrl.startsWith(`${server.url}/consent/`), consentUrl)
        const operator = { bearer: server.operatorToken }
        const pending = yield* send(server, "GET", "/operator/data-requests/pending", operator)
        assert.notProperty(pending.body.data[0], "consentUrl", "the link is the person's alone")

        const page = yield* window
        yield* Effect.promise(async () => {
          await page.goto(consentUrl)
          assert.include(await readAloud(page, "main"), "To deliver your order")
          assert.include(await readAloud(page, "footer"), "Naira Pay")
          await page.check("#field-email")
          await page.click("button[value=approve]")
          assert.strictEqual(await readAloud(page, "h1"), "Done. You said yes.")
          assert.match(await readAloud(page, ".who"), /Corner Shop\s+can see these until/u)
        })

        yield* shop.waitFor(2)
        const payloads = yield* Effect.forEach(shop.received, (delivery) =>
          Effect.promise(async () => {
            const verified = await verify({ body: delivery.body, headers: flat(delivery), secrets: [secret] })
            assert.isTrue(verified.ok)
            return [flat(delivery)["x-service-event"] ?? "", verified.ok ? verified.event.payload : undefined] as const
          })
        )
        const grants = yield* send(server, "GET", `/operator/grants?merchantId=${merchant.id}`, operator)
        const [grant] = grants.body.data
        const common = { merchantId: merchant.id, dataRequestId: asked.body.id, serviceId: person.serviceId }
        assert.deepStrictEqual(Object.fromEntries(payloads), {
          "merchant.identity.request.approved": {
            ...common,
            requestedFields: ["display_name", "email"],
            approvedFields: ["email"],
            status: "APPROVED",
            decidedAt: grant.grantedAt
          },
          "merchant.identity.consent_granted": {
            ...common,
            grantId: grant.id,
            fields: ["email"],
            grantedAt: grant.grantedAt,
            expiresAt: grant.expiresAt
          }
        })

        const identity = `/v1/identity?service_id=${person.serviceId}&fields=email,display_name`
        const read = yield* send(server, "GET", identity, { bearer })
        assert.deepStrictEqual(read.body, {
          serviceId: person.serviceId,
          fields: { email: "chidi@mail.example" },
          notApproved: { display_name: "denied" }
        })

        yield* Effect.promise(async () => {
          await page.click("text=Who can see my details")
          await page.waitForSelector(".card")
          await page.click("text=Last looked")
          await page.waitForSelector("text=When Corner Shop looked")
          assert.match(await readAloud(page, ".log li"), /Email address/u)
          await page.goBack()
          await page.click(".card button")
          assert.include(await readAloud(page, "[role=status]"), "Taken back: 1")
        })
        const refused = yield* send(server, "GET", identity, { bearer })
        assert.deepInclude(refused.body, { status: 403, code: "consent_required" })

        const receipts = yield* send(server, "GET", `/operator/merchants/${merchant.id}/receipts`, operator)
        assert.deepStrictEqual(
          receipts.body.data.map(({ sequence }: { readonly sequence: number }) => sequence),
          [2, 1]
        )
        const reads = yield* send(server, "GET", `/operator/identity-reads?merchantId=${merchant.id}`, operator)
        assert.lengthOf(reads.body.data, 1)
        const books = yield* Effect.promise(() => runHere(["verify"], environment))
        assert.strictEqual(books.code, 0, books.stdout + books.stderr)

        const said = server.stdout() + server.stderr()
        assert.include(said, "/consent/:token", "the log tells the page's template")
        for (const url of [consentUrl, page.url()]) {
          const token = new URL(url).pathname.split("/").at(-1) ?? ""
          assert.isAbove(token.length, 40)
          assert.notInclude(said, token)
        }
        assert.notInclude(said, "chidi@mail.example")
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    300_000
  )

  it.live(
    "with a one-time code that the platform's hook brings",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* receiver
        const platform = yield* receiver
        const environment = environmentOf(url, { CONSENT_NOTIFY_URL: platform.url, CONSENT_CODE: "required" })
        const server = yield* serverProcess(environment)
        const { bearer, person } = yield* partiesOf(server, shop.url)
        const body = { service_id: person.serviceId, requested_fields: ["email"] }
        yield* send(server, "POST", "/v1/data-requests", { bearer, key: "ask-1", body })
        yield* platform.waitFor(1)
        const { consentUrl } = JSON.parse(String(platform.received[0]?.body))
        const page = yield* window
        yield* Effect.promise(async () => {
          await page.goto(consentUrl)
          assert.strictEqual(await readAloud(page, "h1"), "First, is it you?")
          await page.click("text=Send me a code")
        })
        yield* platform.waitFor(2)
        const message = JSON.parse(String(platform.received[1]?.body))
        assert.deepInclude(message, { type: "consent.code", userId: person.userId, environment: "LIVE" })
        yield* Effect.promise(async () => {
          await page.fill("#code", message.code)
          await page.click("text=Continue")
          assert.match(await readAloud(page, "h1"), /Corner Shop\s+wants to see your details/u)
        })
        assert.notInclude(server.stdout() + server.stderr(), message.code)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    300_000
  )
})
