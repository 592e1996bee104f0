import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as RequestSpans from "@surety/http/RequestSpans"
import { Cause, Effect, Exit, Layer, Tracer } from "effect"
import { HttpMiddleware, HttpServerRequest } from "effect/http"
import { describe, expect, it } from "vitest"
import { application, makeInterface, makeMerchant } from "./Interface.js"

const settings = Layer.succeed(HttpSettings, {
  publicUrl: "https://pay.example",
  basePath: "/base",
  provisioning: "open",
  operatorToken: undefined,
  docs: true
})

const nameOf = (method: string, path: string): Promise<string> =>
  Effect.runPromise(
    Effect.map(HttpMiddleware.SpanNameGenerator, (generate) =>
      generate(HttpServerRequest.fromWeb(new Request(`http://localhost${path}`, { method })))
    ).pipe(Effect.provide(RequestSpans.layer.pipe(Layer.provide(settings))))
  )

describe("a request's span", () => {
  it.each([
    ["POST", "/base/v1/refunds?x=1", "POST /v1/refunds"],
    ["GET", "/base/v1/refunds/refund_1", "GET /v1/refunds/:refundId"],
    ["HEAD", "/healthz", "HEAD /healthz"],
    ["GET", "/base/docs/errors", "GET /docs/errors"],
    ["GET", "/base/wp-login.php", "GET"],
    ["DELETE", "/base/v1/refunds", "DELETE"]
  ])("is named by its route: %s %s", async (method, path, name) => {
    expect(await nameOf(method, path)).toBe(name)
  })

  it("does not have the url, which may contain personal data", async () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const traced = Layer.provide(RequestSpans.layer, [settings, Layer.succeed(Tracer.Tracer, tracer)])
    const api = makeInterface({ basePath: "/base" }, traced)
    await api.send("GET", "/base/v1/identity?service_id=ada@mail.example")
    const [span] = spans
    expect(span?.name).toBe("GET /v1/identity")
    const attributes = Object.fromEntries(span?.attributes ?? [])
    expect(attributes).toMatchObject({ "http.request.method": "GET", "http.response.status_code": 401 })
    expect(JSON.stringify(attributes)).not.toContain("ada@")
  })

  it("does not tell the url of a request that failed either", async () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const reason = new StoreUnavailable({ cause: new Error("gone") })
    const lost = new StoreError({ operation: "ApiKeyStore.findByHash", reason })
    const failing = Layer.effect(
      ApiKeyStore,
      Effect.map(ApiKeyStore, (store) => ApiKeyStore.of({ ...store, findByHash: () => Effect.fail(lost) }))
    )
    const traced = Layer.provide(RequestSpans.layer, [settings, Layer.succeed(Tracer.Tracer, tracer)])
    const api = makeInterface({}, Layer.merge(failing, traced))
    const { key } = await makeMerchant(api)
    const { status } = await api.send("GET", "/v1/identity?service_id=ada@mail.example", { key })
    expect(status).toBe(503)
    const span = spans.find(({ attributes }) => attributes.get("http.response.status_code") === 503)
    const ended = span?.status._tag === "Ended" && Exit.isFailure(span.status.exit) ? span.status.exit.cause : undefined
    expect(ended && Cause.pretty(ended)).toContain("The response has status 503")
    expect(ended && Cause.pretty(ended)).not.toContain("ada@")
  })

  it("is a child of the caller's, and has the services' spans below it", async () => {
    const spans: Array<{ readonly name: string; readonly traceId: string }> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push({ name: options.name, traceId: span.traceId })
        return span
      }
    })
    const traced = Layer.provide(RequestSpans.layer, [settings, Layer.succeed(Tracer.Tracer, tracer)])
    const api = makeInterface({ basePath: "/base" }, traced)
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    await api.send("POST", "/base/merchants", {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      body: application
    })
    expect(spans).toEqual([
      { name: "POST /merchants", traceId },
      { name: "Merchants.apply", traceId }
    ])
  })
})
