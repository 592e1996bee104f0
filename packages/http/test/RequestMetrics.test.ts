import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { Readiness } from "@surety/core/Readiness"
import { RateLimits } from "@surety/http/access/RateLimits"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import { hostileRequests } from "@surety/testing/hostile/HostileRequests"
import { inputsOf } from "@surety/testing/hostile/OpenApiInputs"
import { makePathValues } from "@surety/testing/hostile/pathValues"
import { Context, Effect, Layer, Metric } from "effect"
import { describe, expect, it } from "vitest"
import { makeSetClock } from "./access/SetClock.js"
import { document } from "./Contract.js"
import { asOperator, makeInterface, makeMerchant, operatorToken } from "./Interface.js"

const unlimited = Layer.succeed(RateLimits, { refunds: undefined, other: undefined, provisioning: undefined })

const measured = (
  settings: Parameters<typeof makeInterface>[0] = {},
  replacing: Parameters<typeof makeInterface>[1] = Layer.empty
) => {
  const registry: Metric.MetricRegistry = new Map()
  const own = Layer.mergeAll(unlimited, Layer.succeed(Metric.MetricRegistry, registry), replacing)
  const api = makeInterface(settings, own)
  const snapshots = () => Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
  const ofHttp = () => snapshots().filter(({ id }) => id.startsWith("http_"))
  return {
    api,
    counts: () =>
      Object.fromEntries(
        ofHttp().flatMap(({ attributes, state, type }) =>
          type === "Counter" ? [[`${attributes?.method} ${attributes?.route} ${attributes?.status}`, state.count]] : []
        )
      ),
    histogram: (name: string) =>
      ofHttp().flatMap(({ attributes, state, type }) =>
        type === "Histogram" && `${attributes?.method} ${attributes?.route} ${attributes?.status_class}` === name
          ? [state]
          : []
      )[0],
    labels: () => new Set(ofHttp().flatMap(({ attributes }) => Object.values(attributes ?? {}))),
    seriesCount: () => ofHttp().length
  }
}

describe("a request is counted", () => {
  it("by its method, its route's template and its status", async () => {
    const { api, counts } = measured()
    const { id, key } = await makeMerchant(api)
    await api.send("GET", "/v1/whoami", { key })
    await api.send("GET", "/v1/whoami?x=1", { key })
    await api.send("HEAD", "/v1/whoami", { key })
    await api.send("GET", "/v1/whoami", { key: "svc_test_wrong" })
    await api.send("POST", "/v1/refunds", { key, body: {} })
    await api.send("POST", "/v1/refunds", { key, raw: "x".repeat(2_000_000) })
    await api.send("GET", "/v1/refunds/refund_unknown", { key })
    await api.send("GET", `/merchants/${id}`)
    await api.send("GET", "/operator/merchants", asOperator)
    await api.send("DELETE", "/v1/refunds", { key })
    await api.send("GET", "/nowhere")
    await api.send("GET", `/${"a".repeat(5000)}`)
    expect(counts()).toEqual({
      "POST /merchants 201": 1,
      "POST /merchants/:merchantId/api-keys 201": 1,
      "GET /v1/whoami 200": 1,
      "GET /v1/whoami 400": 1,
      "HEAD /v1/whoami 200": 1,
      "GET /v1/whoami 401": 1,
      "POST /v1/refunds 400": 1,
      "POST /v1/refunds 413": 1,
      "GET /v1/refunds/:refundId 404": 1,
      "GET /merchants/:merchantId 200": 1,
      "GET /operator/merchants 200": 1,
      "DELETE unmatched 405": 1,
      "GET unmatched 404": 1,
      "GET unmatched 414": 1
    })
  })

  it("where no caller is asked who they are too, and without the base path", async () => {
    const { api, counts } = measured({ basePath: "/base" })
    for (const path of ["/healthz", "/readyz", "/base/docs", "/base/docs/errors", "/base/openapi.json", "/docs"]) {
      await api.send("GET", path)
    }
    expect(counts()).toEqual({
      "GET /healthz 200": 1,
      "GET /readyz 200": 1,
      "GET /docs 200": 1,
      "GET /docs/errors 200": 1,
      "GET /openapi.json 200": 1,
      "GET unmatched 404": 1
    })
  })

  it("as a failure of ours if a part of ours fails", async () => {
    const broken = Layer.succeed(Readiness, { check: Effect.die(new Error("broken")) })
    const { api, counts, histogram } = measured({}, broken)
    await api.send("GET", "/readyz")
    expect(counts()).toEqual({ "GET /readyz 500": 1 })
    expect(histogram("GET /readyz 5xx")?.count).toBe(1)
  })

  it("as 499 if its client disconnected before the response", async () => {
    const client = new AbortController()
    const waiting = Layer.succeed(Readiness, {
      check: Effect.andThen(
        Effect.sync(() => client.abort()),
        Effect.never
      )
    })
    const { api, counts } = measured({}, waiting)
    await api.send("GET", "/readyz", { signal: client.signal }).catch(() => {})
    expect(counts()).toEqual({ "GET /readyz 499": 1 })
  })

  it("as 503 if it was stopped, but not by its client", async () => {
    const { api, counts } = measured({}, Layer.succeed(Readiness, { check: Effect.interrupt }))
    // `send` rejects, because Effect's 503 for an interrupted request is not in the API's problem format.
    await api.send("GET", "/readyz").catch(() => {})
    expect(counts()).toEqual({ "GET /readyz 503": 1 })
  })

  it("by its outcome if its client disconnected, but it was completed nevertheless", async () => {
    const client = new AbortController()
    const leaving = Layer.effect(
      ApiKeyStore,
      Effect.map(ApiKeyStore, (store) =>
        ApiKeyStore.of({
          ...store,
          findByHash: (hash) =>
            Effect.andThen(
              Effect.sync(() => client.abort()),
              store.findByHash(hash)
            )
        })
      )
    )
    const { api, counts } = measured({}, leaving)
    const { key } = await makeMerchant(api)
    await api.send("POST", "/v1/refunds", { key, body: {}, signal: client.signal }).catch(() => {})
    expect(counts()).toMatchObject({ "POST /v1/refunds 400": 1 })
  })
})

describe("a request's duration", () => {
  it("is in the buckets from which it was shorter, in seconds, regardless of the wall clock", async () => {
    const clock = makeSetClock()
    const slow = Layer.succeed(Readiness, { check: Effect.sync(() => clock.advance(0.2)) })
    const { api, histogram } = measured({}, Layer.merge(clock.layer, slow))
    await api.send("GET", "/readyz")
    await api.send("GET", "/healthz")
    const ready = histogram("GET /readyz 2xx")
    expect(ready?.count).toBe(1)
    expect(ready?.sum).toBeCloseTo(0.2)
    const buckets = new Map(ready?.buckets)
    expect([buckets.get(0.1), buckets.get(0.25), buckets.get(30)]).toEqual([0, 1, 1])
    expect(histogram("GET /healthz 2xx")?.sum).toBe(0)
  })
})

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
const templates = Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ":$1"))
const otherRoutes = ["/healthz", "/readyz", "/docs", "/docs/errors", "/openapi.json", "/pages/:token", "unmatched"]

const isKnown = (label: string): boolean =>
  [...methods, "_OTHER", ...templates, ...otherRoutes].includes(label) || /^[1-5](?:\d\d|xx)$/.test(label)

/** Sends requests that try to create unbounded series or to leak a secret into a label. */
const sprayed = async ({ api }: ReturnType<typeof measured>, key: string, salt: string) => {
  const verbs = [...methods.filter((method) => method !== "HEAD"), "PROPFIND", "get", `X${salt}`]
  for (const method of verbs) {
    for (const path of [
      `/${salt}`,
      `/v1/${salt}`,
      `/v1/refunds/${salt}`,
      `/v1/refunds/${key}`,
      `/v1/refunds/${salt}/${key}`,
      `/V1/whoami`,
      `//v1/refunds/${salt}`,
      `/v1/refunds/%00${salt}%22%0a`,
      `/v1/refunds/:refundId`,
      `/v1/whoami?${salt}={"}`,
      `/merchants/${salt}`,
      `/operator/merchants/${salt}/links/${salt}`,
      `/pages/${salt}`,
      `/docs/${salt}`
    ]) {
      await api.send(method, path, method === "GET" ? { key } : {})
    }
  }
}

describe("no label is of a caller's making", () => {
  it("and no caller can make series without end", async () => {
    const hosted = Layer.succeed(HostedRoutes, (path) => (path.startsWith("/pages/") ? "/pages/:token" : undefined))
    const it = measured({}, hosted)
    const { key } = await makeMerchant(it.api)
    await sprayed(it, key, "zq1")
    const series = it.seriesCount()
    for (const salt of ["zq2", "zq3", "zq4"]) await sprayed(it, key, salt)
    expect(it.seriesCount()).toBe(series)
    expect([...it.labels()].filter((label) => !isKnown(label))).toEqual([])
    expect(it.labels()).toContain("/pages/:token")
    expect(it.labels()).toContain("_OTHER")
  })

  it("on any route, for any request", async () => {
    const it = measured()
    const { id, key } = await makeMerchant(it.api)
    const owner = {
      merchantId: id,
      key,
      operatorToken,
      send: async (method: string, path: string, bearer: string, body?: unknown) =>
        (await it.api.send(method, path, { key: bearer, headers: { "idempotency-key": `owner-${++keys}` }, body })).body
    }
    let keys = 0
    let count = 0
    for (const inputs of inputsOf(document)) {
      const headers = { authorization: `Bearer ${inputs.path.startsWith("/v1/") ? key : operatorToken}` }
      const pathValues = await makePathValues(inputs.pathParameters, owner)
      for (const { body, ...request } of [...hostileRequests(inputs, { pathValues, headers })].slice(0, 12)) {
        const raw = body === undefined ? {} : { raw: body }
        await it.api.send(request.method, request.path, { headers: request.headers, ...raw })
        count += 1
      }
    }
    expect(count).toBeGreaterThan(500)
    expect([...it.labels()].filter((label) => !isKnown(label))).toEqual([])
    expect(templates.filter((template) => !it.labels().has(template))).toEqual([])
  }, 120_000)
})
