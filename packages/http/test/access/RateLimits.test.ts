import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { RateLimits } from "@surety/http/access/RateLimits"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  application,
  asOperator,
  type Interface,
  makeInterface,
  makeLiveKey,
  makeMerchant,
  makePayment,
  refund
} from "../Interface.js"
import { makeSetClock } from "./SetClock.js"

const limits: RateLimits = {
  refunds: { name: "refunds", perSecond: 1, burst: 3 },
  other: { name: "other", perSecond: 10, burst: 20 },
  provisioning: undefined
}

const gone = new StoreError({ operation: "lease", reason: new StoreUnavailable({ cause: "gone" }) })
const withoutLimitStore = Layer.succeed(RateLimitStore, {
  lease: () => Effect.fail(gone),
  forgetFull: Effect.fail(gone)
})

const limited = (replacing: Partial<RateLimits> = {}, stores: Layer.Layer<never> = Layer.empty) => {
  const clock = makeSetClock()
  const api = makeInterface(
    {},
    Layer.mergeAll(Layer.succeed(RateLimits, { ...limits, ...replacing }), clock.layer, stores)
  )
  return { api, clock }
}

const statuses = async (times: number, send: () => Promise<{ readonly status: number }>) => {
  const answered: Array<number> = []
  for (let time = 0; time < times; time += 1) answered.push((await send()).status)
  return answered
}

const shop = async (api: Interface) => {
  const merchant = await makeMerchant(api)
  return { ...merchant, ...(await makePayment(api, merchant.key)) }
}

describe("The limit of refunds", () => {
  it("refuses what is more than the burst, says when to come again, and burns no idempotency key", async () => {
    const { api, clock } = limited()
    const { key, transactionId } = await shop(api)
    const send = (name: string) => refund(api, key, { transaction_id: transactionId, amount: 1 }, name)
    for (const name of ["one", "two", "three"]) expect((await send(name)).status).toBe(201)
    const refused = await send("four")
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: "rate_limited", status: 429 })
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(refused.headers.get("ratelimit-policy")).toBe('"refunds";q=3;w=3')
    expect(refused.headers.get("ratelimit")).toBe('"refunds";r=0;t=1')
    clock.advance(1)
    const later = await send("four")
    expect(later.status).toBe(201)
    expect(later.headers.get("idempotent-replayed")).toBeNull()
    expect((await send("four")).status).toBe(429)
  })

  it("counts replays and refusals too", async () => {
    const { api } = limited()
    const { key, transactionId } = await shop(api)
    const body = { transaction_id: transactionId, amount: 1 }
    expect((await refund(api, key, body, "one")).status).toBe(201)
    expect((await refund(api, key, body, "one")).headers.get("idempotent-replayed")).toBe("true")
    expect((await refund(api, key, { amount: -1 }, "two")).status).toBe(400)
    expect((await refund(api, key, body, "one")).status).toBe(429)
  })

  it("says on every response what is left", async () => {
    const { api } = limited()
    const { key, transactionId } = await shop(api)
    const made = await refund(api, key, { transaction_id: transactionId, amount: 1 })
    expect(made.headers.get("ratelimit-policy")).toBe('"refunds";q=3;w=3')
    expect(made.headers.get("ratelimit")).toBe('"refunds";r=2;t=1')
    const invalid = await refund(api, key, {})
    expect(invalid.headers.get("ratelimit")).toBe('"refunds";r=1;t=2')
  })

  it("is the POST's alone, and each merchant's and environment's own", async () => {
    const { api } = limited()
    const one = await shop(api)
    const other = await shop(api)
    const attempt = (key: string) => refund(api, key, {})
    expect(await statuses(4, () => attempt(one.key))).toEqual([400, 400, 400, 429])
    expect((await attempt(other.key)).status).toBe(400)
    expect((await attempt(await makeLiveKey(api, one.id))).status).toBe(400)
    const list = await api.send("GET", "/v1/refunds", { key: one.key })
    expect(list.status).toBe(200)
    expect(list.headers.get("ratelimit-policy")).toBe('"other";q=20;w=2')
  })
})

describe("The limit of other requests", () => {
  it("holds for all routes together, known and unknown, by whichever way they are reached", async () => {
    const { api, clock } = limited()
    const { key } = await makeMerchant(api)
    const paths = ["/v1/whoami", "/v1/whoami?", "/v1/events", "/v1/refunds", "/v1/nothing"]
    const all = await statuses(4, async () => {
      for (const path of paths) expect((await api.send("GET", path, { key })).status).not.toBe(429)
      return { status: 0 }
    })
    expect(all).toHaveLength(4)
    for (const path of paths) expect((await api.send("GET", path, { key })).status).toBe(429)
    clock.advance(1)
    expect((await api.send("GET", "/v1/whoami", { key })).status).toBe(200)
  })

  it("comes after key and status, and before everything else", async () => {
    const { api } = limited({ other: { name: "other", perSecond: 0.01, burst: 1 } })
    const { id, key, keyId } = await makeMerchant(api)
    expect((await api.send("GET", "/v1/whoami", { key })).status).toBe(200)
    const wrong = { key, headers: { accept: "text/html" } }
    expect((await api.send("GET", "/v1/events", wrong)).status).toBe(429)
    expect((await api.send("GET", "/v1/events?nonsense=1", { key })).status).toBe(429)
    expect((await api.send("GET", "/v1/events")).status).toBe(401)
    await api.send("POST", `/operator/merchants/${id}/status`, { ...asOperator, body: { status: "CLOSED" } })
    expect((await api.send("GET", "/v1/events", { key })).status).toBe(403)
    await api.send("DELETE", `/merchants/${id}/api-keys/${keyId}`)
    expect((await api.send("GET", "/v1/events", { key })).status).toBe(401)
  })

  it("is off if the deployment says so, and tells nothing then", async () => {
    const { api } = limited({ other: undefined })
    const { key } = await makeMerchant(api)
    const all = await statuses(40, () => api.send("GET", "/v1/whoami", { key }))
    expect(new Set(all)).toEqual(new Set([200]))
    const answer = await api.send("GET", "/v1/whoami", { key })
    expect(answer.headers.has("ratelimit")).toBe(false)
    expect(answer.headers.has("ratelimit-policy")).toBe(false)
  })
})

describe("The limit of who is not known", () => {
  const provisioning = { name: "provisioning", perSecond: 1, burst: 5 }

  it("counts every provisioning request of an address", async () => {
    const { api, clock } = limited({ provisioning })
    const apply = () => api.send("POST", "/merchants", { body: application })
    expect(await statuses(6, apply)).toEqual([201, 201, 201, 201, 201, 429])
    const refused = await apply()
    expect(refused.headers.get("ratelimit")).toBe('"provisioning";r=0;t=1')
    expect(refused.headers.get("retry-after")).toBe("1")
    clock.advance(1)
    expect((await apply()).status).toBe(201)
  })

  it("counts failed authentication, and keeps no good key out", async () => {
    const { api } = limited({ provisioning: { ...provisioning, perSecond: 0.01 } })
    const { key } = await makeMerchant(api)
    const guess = () => api.send("GET", "/v1/whoami", { key: "sk_test_guess" })
    expect(await statuses(6, guess)).toEqual([401, 401, 401, 401, 401, 429])
    expect((await api.send("GET", "/v1/whoami")).status).toBe(429)
    expect((await api.send("GET", "/v1/nothing")).status).toBe(429)
    expect((await api.send("GET", "/v1/whoami", { key })).status).toBe(200)
  })

  it("stops guesses at the operator's token: an address that failed too often may not try", async () => {
    const { api, clock } = limited({ provisioning })
    const read = (key: string) => api.send("GET", "/operator/ledger/trial-balance", { key })
    expect(await statuses(6, () => read("guess"))).toEqual([401, 401, 401, 401, 401, 429])
    expect((await read(asOperator.key)).status).toBe(429)
    clock.advance(1)
    expect((await read(asOperator.key)).status).toBe(200)
  })

  it("stops such guesses in this process alone while the store of the limits is unavailable", async () => {
    const { api, clock } = limited({ provisioning }, withoutLimitStore)
    const read = (key: string) => api.send("GET", "/operator/ledger/trial-balance", { key })
    expect(await statuses(5, () => read("guess"))).toEqual([401, 401, 401, 401, 401])
    expect((await read(asOperator.key)).status).toBe(429)
    clock.advance(1)
    expect((await read(asOperator.key)).status).toBe(200)
  })
})
