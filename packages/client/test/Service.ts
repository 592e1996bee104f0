import { NodeCrypto } from "@effect/platform-node"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentLinks from "@surety/core/consent/link/ConsentUrls"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as WebHandler from "@surety/http/WebHandler"
import { Layer, Redacted, References } from "effect"
import { afterAll } from "vitest"
import { type Client, type ClientOptions, createClient } from "../src/index.js"

/** Where the service of these tests is reached, below a prefix. */
export const baseUrl = "https://pay.example/api"

/** What consent needs beside the stores. It tells nobody. */
const people = Layer.mergeAll(
  ConsumerDirectory.layer,
  ConsentNotifier.layerNone,
  ConsentLinks.layer(baseUrl),
  UnknownConsumerLimit.layer
)

const operatorToken = "operator-token-for-tests"

const layer = () =>
  Services.layer.pipe(
    Layer.provideMerge(people),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(TargetPolicy.layerDevelopment),
    Layer.provideMerge(KycProviders.layerSandbox),
    Layer.provideMerge(Responses.layer),
    Layer.provideMerge(Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])),
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

/** The real interface over stores in memory, as a function that takes what `fetch` takes. */
export interface Service {
  readonly fetch: Fetch
  /** A request past the client, for what a merchant's key may not do. */
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

/** A merchant of its own with a key: TEST, or LIVE of one that is ACTIVE. */
export const makeKey = async ({ asOperator }: Service, environment: "TEST" | "LIVE" = "TEST"): Promise<string> => {
  const { id } = (await asOperator("POST", "/merchants", application)) as { readonly id: string }
  await asOperator("POST", `/operator/merchants/${id}/status`, { status: "ACTIVE" })
  const issued = (await asOperator("POST", `/merchants/${id}/api-keys`, { environment })) as { readonly secret: string }
  return issued.secret
}

/** A client of a merchant of its own. */
export const makeClient = async (service: Service, options: Partial<ClientOptions> = {}): Promise<Client> =>
  createClient({ apiKey: await makeKey(service), baseUrl, fetch: service.fetch, ...options })

/** A settled payment of a customer of its own. */
export const makePayment = async (client: Client, amount = 2500.5) => {
  const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi" })
  return client.testHelpers.createPayment({ service_id: serviceId, amount })
}
