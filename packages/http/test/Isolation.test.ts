import { describe, expect, it } from "vitest"
import { operations } from "./Contract.js"
import { ask, decide } from "./consent/Consenting.js"
import {
  type Answer,
  asOperator,
  makeInterface,
  makeLiveKey,
  makeMerchant,
  makePayment,
  refund,
  verify
} from "./Interface.js"

const api = makeInterface()

type Operation = (typeof operations)[number]

const idOf = ({ operation }: Operation): string => operation.operationId

/** Creates a merchant with a LIVE key, and with TEST records for the routes under test. */
const merchantWithRecords = async () => {
  const merchant = await makeMerchant(api)
  const live = await makeLiveKey(api, merchant.id)
  const { key } = merchant
  const endpoint = await api.send("POST", `/merchants/${merchant.id}/webhooks`, {
    body: { url: "https://shop.example", environment: "TEST" }
  })
  const { serviceId, transactionId } = await makePayment(api, key)
  const pending = await makePayment(api, key, { settled: false })
  const made = await refund(api, key, { transaction_id: transactionId, amount: 1 })
  const verified = await verify(api, key, { service_id: serviceId })
  const unwelcome = await ask(api, key, { service_id: serviceId, requested_fields: ["kyc_status"] })
  const deny = `/operator/data-requests/${unwelcome.body.id}/deny`
  await api.send("POST", deny, { ...asOperator, body: { reason: "NOT_ME" } })
  const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
  const other = await ask(api, key, { service_id: serviceId, requested_fields: ["country"] })
  const approved = await decide(api, key, other.body.id, "approve")
  const events = await api.send("GET", "/v1/events?topic=refund.completed", { key })
  const ids: Readonly<Record<string, string>> = {
    merchantId: merchant.id,
    apiKeyId: merchant.keyId,
    endpointId: endpoint.body.id,
    reference: verified.body.reference,
    eventId: events.body.data[0].id,
    refundId: made.body.refundId,
    transactionId: pending.transactionId,
    dataRequestId: asked.body.id,
    grantId: approved.body.grantId,
    serviceId
  }
  return { ...merchant, live, ids, serviceId, transactionId }
}

type Owner = Awaited<ReturnType<typeof merchantWithRecords>>

/**
 * Routes that return 409 here even to the owner, because the record is not in the required state. Callers who may not
 * see the record get 404 instead.
 */
const refusedToOwner = new Set(["verifications.submitCode", "testHelpers.settleRefund"])

const fill = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`Make a record for {${name}} of ${path}, so that its isolation is tested`)
    return id
  })

/** Request bodies for `sendTo`, by operation id. */
const bodies: Readonly<Record<string, unknown>> = {
  "verifications.submitCode": { code: "482913" },
  "testHelpers.settleRefund": { outcome: "completed" },
  "webhooks.update": { status: "ENABLED" },
  "webhooks.recover": { since: "2026-01-01T00:00:00Z" }
}

const sendTo = (route: Operation, path: string, key?: string) => {
  const body = bodies[idOf(route)]
  return api.send(route.method, path, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body })
  })
}

const merchantRoutes = operations.filter(({ path }) => path.startsWith("/v1/"))
const otherRoutes = operations.filter(({ path }) => !path.startsWith("/v1/"))

const ofOneRecord = merchantRoutes.filter(({ path }) => path.includes("{"))

interface Naming {
  /** Uses the given key to send a request that names one of the owner's records. */
  readonly send: (owner: Owner, key: string) => Promise<Answer>
  readonly ownStatus: number
  /** Expected response fields for another merchant's key, and in `otherEnvironment` for the owner's LIVE key. */
  readonly stranger: object
  readonly otherEnvironment: object
}

/** Merchant routes, other than lists, that name a record in the query or body. */
const byReference: Readonly<Record<string, Naming>> = {
  "refunds.create": {
    send: (owner, key) => refund(api, key, { transaction_id: owner.transactionId, amount: 2 }, "shared"),
    ownStatus: 201,
    stranger: { status: 404, code: "payment_not_found" },
    otherEnvironment: { status: 404, code: "payment_not_found" }
  },
  "identity.read": {
    send: ({ serviceId }, key) => api.send("GET", `/v1/identity?service_id=${serviceId}`, { key }),
    ownStatus: 200,
    stranger: { status: 403, code: "consent_required" },
    otherEnvironment: { status: 403, code: "consent_required" }
  },
  // Any merchant that knows the identifier may ask the person, so the stranger gets its own data request.
  "dataRequests.create": {
    send: ({ serviceId }, key) =>
      ask(api, key, { service_id: serviceId, requested_fields: ["country"], purpose: "Ours" }, "shared"),
    ownStatus: 201,
    stranger: { status: "PENDING" },
    otherEnvironment: { status: 400, code: "consumer_not_found" }
  },
  "verifications.submit": {
    send: ({ serviceId }, key) => verify(api, key, { service_id: serviceId }),
    ownStatus: 201,
    stranger: { status: 404, code: "linked_user_not_found" },
    otherEnvironment: { status: 404, code: "linked_user_not_found" }
  },
  "testHelpers.createPayment": {
    send: ({ serviceId }, key) =>
      api.send("POST", "/v1/test-helpers/payments", { key, body: { service_id: serviceId, amount: 1 } }),
    ownStatus: 201,
    stranger: { refundedAmount: 0 },
    otherEnvironment: { status: 404, code: "route_not_found" }
  }
}

/** Routes that neither name nor list a merchant's records. */
const namingNothing = new Set([
  "account.whoami",
  "testHelpers.createConsumer",
  "testHelpers.switchRefunds",
  "testHelpers.clock",
  "testHelpers.advanceClock",
  "events.types"
])

const isReference = (route: Operation): boolean => Object.hasOwn(byReference, idOf(route))

const lists = merchantRoutes.filter(
  (route) =>
    route.method === "GET" && !route.path.includes("{") && !isReference(route) && !namingNothing.has(idOf(route))
)

describe("a record is not there for", () => {
  it.each(ofOneRecord)("another merchant, nor for the other environment's key: $method $path", async (route) => {
    const owner = await merchantWithRecords()
    const stranger = await makeMerchant(api)
    const strangerLive = await makeLiveKey(api, stranger.id)
    const url = fill(route.path, owner.ids)
    for (const key of [stranger.key, strangerLive, owner.live]) {
      expect((await sendTo(route, url, key)).status).toBe(404)
    }
    const own = await sendTo(route, url, owner.key)
    if (refusedToOwner.has(idOf(route))) expect(own.status).toBe(409)
    else expect(own.status).toBeLessThan(300)
  })

  it.each(lists)(
    "a list of another merchant, nor of the other environment: $method $path",
    async ({ method, path }) => {
      const owner = await merchantWithRecords()
      const stranger = await makeMerchant(api)
      expect((await api.send(method, path, { key: owner.key })).body.data.length).toBeGreaterThan(0)
      for (const key of [stranger.key, owner.live]) {
        expect((await api.send(method, path, { key })).body).toEqual({ data: [] })
      }
    }
  )

  it.each(Object.entries(byReference))(
    "a caller that names it elsewhere, even by the same key: %s",
    async (_, naming) => {
      const owner = await merchantWithRecords()
      const stranger = await makeMerchant(api)
      const own = await naming.send(owner, owner.key)
      expect(own.status).toBe(naming.ownStatus)
      const theirs = await naming.send(owner, stranger.key)
      expect(theirs.body).toMatchObject(naming.stranger)
      const elsewhere = await naming.send(owner, owner.live)
      expect(elsewhere.body).toMatchObject(naming.otherEnvironment)
      for (const answer of [theirs, elsewhere]) {
        expect(answer.headers.get("idempotent-replayed")).toBeNull()
        expect(answer.text).not.toBe(own.text)
      }
    }
  )

  it.each([
    ["refunds by payment", (owner: Owner) => `/v1/refunds?transaction_id=${owner.transactionId}`],
    ["data requests by person", (owner: Owner) => `/v1/data-requests?service_id=${owner.serviceId}`]
  ])("a filtered list: %s", async (_, pathOf) => {
    const owner = await merchantWithRecords()
    const stranger = await makeMerchant(api)
    expect((await api.send("GET", pathOf(owner), { key: owner.key })).body.data.length).toBeGreaterThan(0)
    for (const key of [stranger.key, owner.live]) {
      expect((await api.send("GET", pathOf(owner), { key })).body).toEqual({ data: [] })
    }
  })
})

/** Operator and provisioning routes whose path names a merchant and one of its records. */
const belowMerchant = otherRoutes.filter(({ path }) => (path.match(/\{/g)?.length ?? 0) > 1)

const environmentOf = ({ path }: Operation): string => (path.startsWith("/operator/") ? "?environment=TEST" : "")

describe("below a merchant, a record is not there", () => {
  it.each(belowMerchant)("by another merchant's path, nor in the other environment: $method $path", async (route) => {
    const owner = await merchantWithRecords()
    const stranger = await makeMerchant(api)
    const query = environmentOf(route)
    const foreign = fill(route.path, { ...owner.ids, merchantId: stranger.id })
    expect((await sendTo(route, `${foreign}${query}`, asOperator.key)).status).toBe(404)
    const own = fill(route.path, owner.ids)
    if (query !== "") expect((await sendTo(route, `${own}?environment=LIVE`, asOperator.key)).status).toBe(404)
    expect((await sendTo(route, `${own}${query}`, asOperator.key)).status).toBeLessThan(300)
  })
})

describe("every route", () => {
  it("of merchants is walked: by its path's record, as a list, by what it names, or since it names nothing", () => {
    const walked = new Set([...ofOneRecord, ...lists].map(idOf))
    const forgotten = merchantRoutes
      .map(idOf)
      .filter((id) => !walked.has(id) && !Object.hasOwn(byReference, id) && !namingNothing.has(id))
    expect(forgotten).toEqual([])
    const known = new Set(operations.map(idOf))
    const gone = [...Object.keys(byReference), ...Object.keys(bodies), ...namingNothing, ...refusedToOwner].filter(
      (id) => !known.has(id)
    )
    expect(gone).toEqual([])
  })

  it("of merchants asks for a key", async () => {
    for (const { method, path } of merchantRoutes) {
      const answer = await api.send(method, path.replace(/\{\w+\}/g, "x"))
      expect([path, answer.body.code]).toEqual([path, "missing_api_key"])
    }
  })

  it("of the operator, and of guarded provisioning, is closed to merchants' keys", async () => {
    const guarded = makeInterface({ provisioning: "token" })
    const { key } = await makeMerchant(api)
    for (const { method, path } of otherRoutes) {
      const url = path.replace(/\{\w+\}/g, "x")
      expect([path, (await guarded.send(method, url)).body.code]).toEqual([path, "missing_operator_token"])
      expect([path, (await guarded.send(method, url, { key })).body.code]).toEqual([path, "invalid_operator_token"])
    }
  })
})
