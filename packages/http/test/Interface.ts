import { NodeCrypto } from "@effect/platform-node"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import type { StorePorts } from "@surety/core/StorePorts"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as WebHandler from "@surety/http/WebHandler"
import { type Context, Effect, Layer, Logger, Option, Redacted, References } from "effect"
import { afterAll } from "vitest"
import { expectDocumented } from "./Contract.js"

export const operatorToken = "operator-token-for-tests"
export const publicUrl = "https://pay.example/service"

type Settings = HttpSettings["Service"]

/** `body` is sent as JSON, `raw` unchanged. */
export interface Sending {
  readonly key?: string
  readonly body?: unknown | undefined
  readonly raw?: NonNullable<RequestInit["body"]>
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the request, as a disconnecting client does. */
  readonly signal?: AbortSignal
}

/** `body` is the parsed JSON, or undefined if the response has no JSON body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly body: any
}

export interface BytesAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: () => string
}

/** The API under test and its log lines. `send` rejects a response that deviates from the OpenAPI document. */
export interface Interface {
  readonly send: (method: string, path: string, sending?: Sending) => Promise<Answer>
  /** Sends a GET and returns the response with its body as bytes. Does not check it against the OpenAPI document. */
  readonly bytes: (path: string, sending?: Sending) => Promise<BytesAnswer>
  readonly lines: ReadonlyArray<string>
}

const recordingLogger = (lines: Array<string>): Layer.Layer<never> =>
  Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])

/** Returns a layer with the context's service for `port`, or the layer `otherwise` if the context has none. */
const replacedOr = <I, S, R>(port: Context.Key<I, S>, otherwise: Layer.Layer<I, never, R>): Layer.Layer<I, never, R> =>
  Layer.unwrap(
    Effect.map(
      Effect.serviceOption(port),
      Option.match({ onNone: () => otherwise, onSome: (service) => Layer.succeed(port, service) })
    )
  )

/**
 * Builds the services over in-memory stores. Services in `replacing`, such as stores or the notifier, override the
 * defaults. By default, no consent notifications are sent.
 */
const services = (replacing: Layer.Layer<never, never, StorePorts>) =>
  Surety.layer({
    stores: Layer.provideMerge(replacing, MemoryStores.layer),
    keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
    targets: TargetPolicy.layerDevelopment,
    consentUrls: ConsentUrls.layer(publicUrl),
    responses: Responses.layer,
    consentNotifier: replacedOr(ConsentNotifier.ConsentNotifier, ConsentNotifier.layerNone),
    directory: replacedOr(ConsumerDirectory.ConsumerDirectory, ConsumerDirectory.layer),
    kycProviders: replacedOr(KycProviders.KycProviders, KycProviders.layerSandbox)
  }).pipe(Layer.provideMerge(NodeCrypto.layer))

const read = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const isJson = text !== "" && response.headers.get("content-type")?.includes("json") === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

const requestOf = (method: string, path: string, { body, headers, key, raw, signal }: Sending): Request => {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  return new Request(`http://localhost${path}`, {
    method,
    headers: {
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers
    },
    ...(payload === undefined ? {} : { body: payload, duplex: "half" }),
    ...(signal === undefined ? {} : { signal })
  })
}

/** Creates the API with `settings` overriding the defaults, and disposes of it after the tests. */
export const makeInterface = (
  settings: Partial<Settings> = {},
  replacing: Layer.Layer<never, never, StorePorts> = Layer.empty
): Interface => {
  const lines: Array<string> = []
  const { basePath = "" } = settings
  const handler = WebHandler.make(
    services(replacing).pipe(
      Layer.provideMerge(
        Layer.succeed(HttpSettings, {
          publicUrl,
          basePath: "",
          provisioning: "open",
          operatorToken: Redacted.make(operatorToken),
          docs: true,
          ...settings
        })
      ),
      Layer.provideMerge(recordingLogger(lines)),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Debug"))
    )
  )
  afterAll(handler.dispose)
  return {
    lines,
    bytes: async (path, sending = {}) => {
      const response = await handler.handle(requestOf("GET", path, sending))
      const bytes = new Uint8Array(await response.arrayBuffer())
      const { headers, status } = response
      return { status, headers, bytes, text: () => new TextDecoder().decode(bytes) }
    },
    send: async (method, path, sending = {}) => {
      const answer = await read(await handler.handle(requestOf(method, path, sending)))
      expectDocumented(method, path.slice(basePath.length), answer)
      return answer
    }
  }
}

export const application = {
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "Nigeria",
  businessType: "retail"
}

export const makeMerchant = async (it: Interface) => {
  const merchant = await it.send("POST", "/merchants", { body: application })
  const id: string = merchant.body.id
  const testKey = await it.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "TEST" } })
  const key: string = testKey.body.secret
  return { id, key, keyId: testKey.body.id as string }
}

export const asOperator = { key: operatorToken }

/** Makes a merchant `ACTIVE` and returns a new LIVE key for it. */
export const makeLiveKey = async (it: Interface, merchantId: string): Promise<string> => {
  await it.send("POST", `/operator/merchants/${merchantId}/status`, { ...asOperator, body: { status: "ACTIVE" } })
  const issued = await it.send("POST", `/merchants/${merchantId}/api-keys`, { body: { environment: "LIVE" } })
  return issued.body.secret
}

/** Creates a TEST consumer and their payment to the key's merchant. */
export const makePayment = async (it: Interface, key: string, payment: object = {}) => {
  const consumer = await it.send("POST", "/v1/test-helpers/consumers", { key })
  const serviceId: string = consumer.body.serviceId
  const made = await it.send("POST", "/v1/test-helpers/payments", {
    key,
    body: { service_id: serviceId, amount: 2500.5, ...payment }
  })
  return { serviceId, transactionId: made.body.transactionId as string, reference: made.body.reference as string }
}

let keys = 0

export const refund = (it: Interface, key: string, body: unknown, idempotencyKey = `key-${++keys}`) =>
  it.send("POST", "/v1/refunds", { key, body, headers: { "idempotency-key": idempotencyKey } })

/** Creates a TEST consumer, by default linked to the key's merchant. */
export const makeConsumer = async (it: Interface, key: string, consumer: object = {}) => {
  const made = await it.send("POST", "/v1/test-helpers/consumers", { key, body: consumer })
  return { userId: made.body.userId as string, serviceId: made.body.serviceId as string }
}

/** Submits a verification, by default for a BVN known to the sandbox. */
export const verify = (it: Interface, key: string, changes: object, idempotencyKey = `key-${++keys}`) =>
  it.send("POST", "/v1/kyc/verifications", {
    key,
    body: { kind: "bvn", id: "22222222222", verification_consent: true, ...changes },
    headers: { "idempotency-key": idempotencyKey }
  })
