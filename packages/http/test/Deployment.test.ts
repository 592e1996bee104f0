import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { NotReady, Readiness } from "@surety/core/Readiness"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface, makeMerchant, refund } from "./Interface.js"

describe("a base path", () => {
  const api = makeInterface({ basePath: "/pay/v7" })

  it("stands before every route but the health ones", async () => {
    const made = await api.send("POST", "/pay/v7/merchants", { body: application })
    expect(made.status).toBe(201)
    const issued = await api.send("POST", `/pay/v7/merchants/${made.body.id}/api-keys`, {
      body: { environment: "TEST" }
    })
    const key = issued.body.secret
    expect((await api.send("GET", "/pay/v7/v1/whoami", { key })).status).toBe(200)
    expect((await api.send("GET", "/pay/v7/v1/refunds?limit=5", { key })).body).toEqual({ data: [] })
    expect((await api.send("GET", "/pay/v7/openapi.json")).status).toBe(200)
    expect((await api.send("GET", "/pay/v7/docs/errors")).status).toBe(200)
    expect((await api.send("GET", "/healthz")).body).toEqual({ status: "ok" })
    for (const path of ["/v1/whoami", "/merchants", "/openapi.json", "/pay/v7/healthz", "/pay/v77/v1/whoami"]) {
      expect((await api.send("GET", path, { key })).body).toMatchObject({ status: 404, code: "route_not_found" })
    }
  })

  it("is in instance, and below it unauthenticated callers learn nothing", async () => {
    const answer = await api.send("GET", "/pay/v7/v1/nowhere")
    expect(answer.body).toMatchObject({ status: 401, instance: "/pay/v7/v1/nowhere" })
    const method = await api.send("PUT", "/pay/v7/operator/merchants", asOperator)
    expect(method.headers.get("allow")).toBe("GET, HEAD")
  })
})

describe("health", () => {
  it("is alive and ready", async () => {
    const api = makeInterface()
    expect((await api.send("GET", "/healthz")).status).toBe(200)
    expect((await api.send("GET", "/readyz")).body).toEqual({ status: "ready" })
    expect((await api.send("HEAD", "/readyz")).status).toBe(200)
  })

  it("says when it is not ready, and not why", async () => {
    const unready = Layer.succeed(Readiness, {
      check: Effect.fail(new NotReady({ detail: "db.internal:5432 refused" }))
    })
    const api = makeInterface({}, unready)
    const answer = await api.send("GET", "/readyz")
    expect(answer.body).toMatchObject({ status: 503, code: "not_ready" })
    expect(answer.headers.get("retry-after")).toBe("5")
    expect(answer.text).not.toContain("internal")
    expect(api.lines.join()).toContain("Not ready: db.internal:5432 refused")
  })
})

const failing = (reason: StoreUnavailable | StoreCorrupt) => {
  const fail = () => Effect.fail(new StoreError({ operation: "RefundStore.execute", reason }))
  return Layer.effect(
    RefundStore,
    Effect.map(RefundStore, (store) => RefundStore.of({ ...store, execute: fail, list: fail }))
  )
}

describe("a store", () => {
  it("that cannot be reached is 503 with Retry-After, and the log says which verb failed", async () => {
    const cause = new Error("password=hunter2")
    const api = makeInterface({}, failing(new StoreUnavailable({ cause })))
    const { key } = await makeMerchant(api)
    const created = await refund(api, key, { transaction_id: "p" })
    const listed = await api.send("GET", "/v1/refunds", { key })
    for (const answer of [created, listed]) {
      expect(answer.body).toMatchObject({ status: 503, code: "service_unavailable" })
      expect(answer.headers.get("retry-after")).toBe("5")
      expect(answer.text).not.toContain("hunter2")
    }
    expect(api.lines.join("\n")).toContain("RefundStore.execute: StoreUnavailable")
    expect(api.lines.join("\n")).not.toContain("hunter2")
  })

  it("of keys that cannot be looked up is 503 too: a good key is never called bad", async () => {
    const unreachable = () =>
      Effect.fail(
        new StoreError({
          operation: "ApiKeyStore.findByHash",
          reason: new StoreUnavailable({ cause: new Error("gone") })
        })
      )
    const broken = Layer.effect(
      ApiKeyStore,
      Effect.map(ApiKeyStore, (store) => ApiKeyStore.of({ ...store, findByHash: unreachable }))
    )
    const api = makeInterface({}, broken)
    const { key } = await makeMerchant(api)
    for (const path of ["/v1/whoami", "/v1/refunds", "/v1/nowhere"]) {
      expect((await api.send("GET", path, { key })).body).toMatchObject({ status: 503, code: "service_unavailable" })
    }
    expect(api.lines.join()).toContain("ApiKeyStore.findByHash: StoreUnavailable")
  })

  it("that answers nonsense is 500", async () => {
    const api = makeInterface({}, failing(new StoreCorrupt({ cause: new Error("what") })))
    const { key } = await makeMerchant(api)
    expect((await refund(api, key, { transaction_id: "p" })).body).toMatchObject({
      status: 500,
      code: "internal_error"
    })
  })
})

describe("a defect", () => {
  it("is 500 without a word of what it was, which the log has with the request's id", async () => {
    const broken = Layer.effect(
      MerchantStore,
      Effect.map(MerchantStore, (store) =>
        MerchantStore.of({ ...store, find: () => Effect.die(new Error("null is not an object")) })
      )
    )
    const api = makeInterface({}, broken)
    const answer = await api.send("GET", "/merchants/merchant_01k7wq8qtketebz8k3p3985n5t", {
      headers: { "x-request-id": "the-one" }
    })
    expect(answer.body).toMatchObject({ status: 500, code: "internal_error", requestId: "the-one" })
    expect(answer.text).not.toContain("null is not")
    const line = api.lines.map((text) => JSON.parse(text)).find(({ message }) => `${message}`.includes("failed"))
    expect(line).toMatchObject({
      level: "ERROR",
      annotations: { requestId: "the-one", route: "/merchants/:merchantId" }
    })
  })
})
