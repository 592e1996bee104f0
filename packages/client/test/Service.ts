import { NodeCrypto } from "@effect/platform-node"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as WebHandler from "@surety/http/WebHandler"
import { Layer, Redacted, References } from "effect"
import { afterAll } from "vitest"
import { type Client, type ClientOptions, createClient } from "../src/index.js"

export const baseUrl = "https://pay.example/api"

const operatorToken = "operator-token-for-tests"

const layer = () =>
  Surety.layer({
    stores: MemoryStores.layer,
    keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
    targets: TargetPolicy.layerDevelopment,
    consentUrls: ConsentUrls.layer(baseUrl),
    responses: Responses.layer
  }).pipe(
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(
      Layer.succeed(HttpSettings, {
        publicUrl: baseUrl,
        basePath: "/api",
        provisioning: "open",
        operatorToken: Redacted.make(operatorToken),
        docs: true
      })
    ),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )

type Fetch = NonNullable<ClientOptions["fetch"]>

/** The real API over in-memory stores, called through a function with the signature of `fetch`. */
export interface Service {
  readonly fetch: Fetch
  readonly asOperator: (method: string, path: string, body: unknown) => Promise<unknown>
}

export const makeService = (): Service => {
  const handler = WebHandler.make(layer())
  afterAll(handler.dispose)
  const fetch: Fetch = (url, init) => handler.handle(new Request(url, init))
  const asOperator = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" }
    return (await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) })).json()
  }
  return { fetch, asOperator }
}

const application = {
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "NG",
  businessType: "retail"
}

/** Returns an API key of a new ACTIVE merchant. */
export const makeKey = async ({ asOperator }: Service, environment: "TEST" | "LIVE" = "TEST"): Promise<string> => {
  const { id } = (await asOperator("POST", "/merchants", application)) as { readonly id: string }
  await asOperator("POST", `/operator/merchants/${id}/status`, { status: "ACTIVE" })
  const issued = (await asOperator("POST", `/merchants/${id}/api-keys`, { environment })) as { readonly secret: string }
  return issued.secret
}

export const makeClient = async (service: Service, options: Partial<ClientOptions> = {}): Promise<Client> =>
  createClient({ apiKey: await makeKey(service), baseUrl, fetch: service.fetch, ...options })

export const makePayment = async (client: Client, amount = 2500.5) => {
  const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi" })
  return client.testHelpers.createPayment({ service_id: serviceId, amount })
}
