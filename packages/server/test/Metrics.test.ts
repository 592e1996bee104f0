import { NodeCrypto } from "@effect/platform-node"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as Routes from "@surety/http/Routes"
import { Layer, Metric, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { afterAll, describe, expect, it } from "vitest"
import * as Metrics from "../src/Metrics.js"
import type { Access } from "../src/settings/Settings.js"

const operatorToken = Redacted.make("operator-token-for-tests")

const services = Surety.layer({
  stores: MemoryStores.layer,
  keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("http://localhost"),
  responses: Responses.layer
}).pipe(
  Layer.provideMerge(NodeCrypto.layer),
  Layer.provideMerge(
    Layer.succeed(HttpSettings, {
      publicUrl: "http://localhost",
      basePath: "",
      provisioning: "open",
      operatorToken,
      docs: false
    })
  )
)

const application = {
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "Nigeria",
  businessType: "retail"
}

const sorted = (line: string): string =>
  line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(",").sort().join(",")}}`)

const server = (access: Access) => {
  const routes = Layer.mergeAll(Routes.layer, Metrics.layer(access, { operatorToken }))
  // Uses a separate registry, since other test files update the process-wide one.
  const counted = Layer.merge(services, Layer.succeed(Metric.MetricRegistry, new Map()))
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(routes, counted), {
    routerConfig: Routes.routerConfig,
    disableLogger: true
  })
  afterAll(dispose)
  return (path: string, init?: RequestInit) => handler(new Request(`http://localhost${path}`, init))
}

describe("GET /metrics", () => {
  it("shows the current state of the webhook queue", async () => {
    const send = server("open")
    const values = async () => {
      const text = await (await send("/metrics")).text()
      const queue = /^surety_webhook_(backlog|oldest_due_age_seconds|endpoints_disabled)[ {]/
      return text.split("\n").filter((line) => queue.test(line))
    }
    const lanes = ["steady", "busy", "failing"]
    const none = (name: string) => lanes.map((lane) => `surety_webhook_${name}{lane="${lane}"} 0`)
    expect((await values()).toSorted()).toEqual(
      [...none("backlog"), ...none("oldest_due_age_seconds"), "surety_webhook_endpoints_disabled 0"].toSorted()
    )
    const json = { "content-type": "application/json" }
    const merchant = await send("/merchants", { method: "POST", headers: json, body: JSON.stringify(application) })
    const { id } = (await merchant.json()) as { readonly id: string }
    const endpoints = `/merchants/${id}/webhooks`
    const registration = JSON.stringify({ url: "https://shop.example" })
    const endpoint = await send(endpoints, { method: "POST", headers: json, body: registration })
    const made = (await endpoint.json()) as { readonly id: string }
    const disabled = JSON.stringify({ status: "DISABLED" })
    await send(`${endpoints}/${made.id}`, { method: "PATCH", headers: json, body: disabled })
    expect(await values()).toContain("surety_webhook_endpoints_disabled 1")
  })

  it("counts what limits refuse, data requests by their outcome, and verifications by their status", async () => {
    const send = server("open")
    const post = async (path: string, key: string | undefined, body: object, once = path) => {
      const headers = { "content-type": "application/json", "idempotency-key": once }
      const sent = key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` }
      const response = await send(path, { method: "POST", headers: sent, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> }
    }
    const { body: merchant } = await post("/merchants", undefined, application)
    const { secret: key } = (await post(`/merchants/${merchant.id}/api-keys`, undefined, { environment: "TEST" })).body
    const { serviceId } = (await post("/v1/test-helpers/consumers", key, {})).body
    const asking = { service_id: serviceId, requested_fields: ["country"] }
    const { id } = (await post("/v1/data-requests", key, asking)).body
    await post(`/v1/test-helpers/data-requests/${id}/approve`, key, {})
    await post("/v1/data-requests", key, asking, "again")
    const person = { service_id: serviceId, verification_consent: true }
    await post("/v1/kyc/verifications", key, { ...person, kind: "bvn", id: "22222222222" })
    await post("/v1/kyc/verifications", key, { ...person, kind: "bvn", id: "1234567" }, "malformed")
    // The limit's count of unknown identifiers resets if a minute ends during the loop. The number of tries until a 429
    // therefore varies.
    let tried = 0
    while (tried < 60) {
      const unknown = { ...asking, service_id: "SR1-K7QM-WX4T-A" }
      if ((await post("/v1/data-requests", key, unknown, `guess ${tried++}`)).status === 429) break
    }
    const text = await (await send("/metrics")).text()
    for (const series of [
      'consent_requests_total{environment="TEST",outcome="asked"}',
      'consent_requests_total{environment="TEST",outcome="approved"}',
      'consent_requests_total{environment="TEST",outcome="covered"}',
      'kyc_verifications_total{environment="TEST",status="VERIFIED"}',
      'kyc_verifications_total{environment="TEST",status="FAILED"}',
      'kyc_provider_call_duration_seconds_count{call="submit",provider="sandbox"}',
      'rate_limited_requests_total{policy="unknown-consumers"}'
    ]) {
      expect(text.split("\n").map(sorted)).toContain(sorted(`surety_${series} 1`))
    }
    expect(text).toContain('surety_kyc_provider_breaker_open{provider="sandbox"} 0')
  })

  it("is for the operator alone if the deployment says so, and absent if it is off", async () => {
    const guarded = server("token")
    expect((await guarded("/metrics")).status).toBe(401)
    const authorization = `Bearer ${Redacted.value(operatorToken)}`
    expect((await guarded("/metrics", { headers: { authorization } })).status).toBe(200)
    expect((await server("off")("/metrics")).status).toBe(404)
  })
})
