import { createHash } from "node:crypto"
import { NodeCrypto } from "@effect/platform-node"
import * as Console from "@surety/console/Console"
import {
  ConsoleSettings,
  defaultConsoleSettings,
  type SettingInForce,
  SettingsInForce,
  type SignInWays
} from "@surety/console/ConsoleSettings"
import { NGN } from "@surety/core/Currency"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { Consumers } from "@surety/core/consumer/Consumers"
import type { Environment } from "@surety/core/Environment"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { Merchants } from "@surety/core/merchant/Merchants"
import type { OperatorRole } from "@surety/core/operator/Operator"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { SessionLimits } from "@surety/core/operator/session/OperatorSessions"
import { Payments } from "@surety/core/payment/Payments"
import { type PersonDataHolder, PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { Refunds } from "@surety/core/refund/Refunds"
import { Wallet } from "@surety/core/refund/Wallet"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as Responses from "@surety/testing/Responses"
import { type Context, Duration, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"

export const publicUrl = "https://pay.example/service"

/** A merchant's or person's name that must never be rendered as markup. */
export const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&`

export const roles: ReadonlyArray<OperatorRole> = ["viewer", "support", "money", "admin"]

export const tokenOf = (name: string): string => `token-of-${name}-0123456789`

const credential = (name: string, role: OperatorRole) => ({
  name,
  role,
  tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex")
})

export const tokens: OperatorTokens = {
  operators: [
    ...roles.map((role) => credential(role, role)),
    credential("ngozi.eze", "admin"),
    credential("ada", "admin")
  ]
}

const inForce: ReadonlyArray<SettingInForce> = [
  { name: "PUBLIC_URL", value: publicUrl, meaning: "Where people and operators reach the server" },
  { name: "SECRETS_KEY", value: "set; a secret", meaning: "Seals secrets in the database" },
  { name: "WALLET_URL", value: "https://wallet.example", meaning: "Your wallet, which refunds credit" },
  { name: "DIRECTORY_URL", value: "not set (consumers' own records)", meaning: "Your records of people" },
  { name: "HOOK_HOSTS", value: "none", meaning: "Hosts whose hooks may be at private addresses" },
  {
    name: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    value: "not set (from OTEL_EXPORTER_OTLP_ENDPOINT)",
    meaning: "The full url for metrics, such as https://collector.observability.internal:4318/v1/metrics"
  },
  { name: "OPERATOR_TOKENS", value: "ada (support), obi (money)", meaning: "Operators with their own tokens" },
  { name: "RATE_LIMIT_REFUNDS", value: "50", meaning: "Refunds a second that a merchant may make" },
  { name: "LOG_LEVEL", value: "info", meaning: "The least that is logged" }
]

/** Never called, because the ledger is the wallet in both environments. */
const noWallet: Wallet["Service"] = {
  credit: () => Effect.die(new Error("The ledger is the wallet")),
  environments: []
}

const servicesWith = (wallet: Wallet["Service"], personData: ReadonlyArray<PersonDataHolder>) =>
  Surety.layer({
    stores: MemoryStores.layer,
    keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
    targets: TargetPolicy.layerDevelopment,
    consentUrls: ConsentUrls.layer(publicUrl),
    responses: Responses.layer,
    wallet: Layer.succeed(Wallet, wallet)
  }).pipe(
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(Layer.succeed(PersonDataHolders, personData)),
    Layer.provideMerge(Layer.succeed(OperatorTokens, tokens)),
    Layer.provideMerge(Logger.layer([]))
  )

export type Scene = Effect.Success<ReturnType<typeof make>>

/** Creates records of one merchant and one person, for the pages to show. */
export const seed = Effect.fnUntraced(function* (environment: Environment, name = evil) {
  const merchants = yield* Merchants
  const merchant = yield* merchants.apply(
    {
      name,
      legalName: name,
      contactName: Redacted.make(name),
      contactEmail: Redacted.make("bola@corner.example"),
      supportEmail: "help@corner.example",
      country: "NG",
      businessType: "retail"
    },
    "test"
  )
  yield* merchants.changeStatus(merchant.id, { to: "ACTIVE", actor: "test", reason: "Reviewed" })
  const scope = { merchantId: merchant.id, environment }
  const endpoints = yield* WebhookEndpoints
  const { endpoint } = yield* endpoints.register(merchant.id, {
    url: "https://hooks.corner.example/surety",
    environment,
    topics: undefined
  })
  const consumer = yield* (yield* Consumers).create(
    {
      environment,
      displayName: Redacted.make(name),
      email: Redacted.make("ada.obi@example.com"),
      country: "NG",
      phoneVerified: true
    },
    undefined
  )
  yield* (yield* Consumers).link(merchant.id, environment, consumer.serviceId)
  const payment = yield* (yield* Payments).record({
    scope,
    amount: { currency: NGN, minor: 250_050n },
    method: "WALLET",
    serviceId: consumer.serviceId,
    reference: `order-${name}`.slice(0, 40),
    settled: true
  })
  const { refund } = yield* (yield* Refunds).create(scope, IdempotencyKey.make(`refund-${payment.id}`), {
    paymentId: payment.id,
    reference: undefined,
    currency: NGN,
    amountMinor: 100_000n,
    reason: name,
    merchantReference: undefined,
    items: undefined
  })
  return { merchant, endpoint, consumer, payment, refund, scope }
})

export const settings = (
  others: Partial<Pick<ConsoleSettings["Service"], "publicUrl" | "basePath" | "signIn">> = {}
): Layer.Layer<ConsoleSettings> =>
  Layer.succeed(ConsoleSettings, {
    ...defaultConsoleSettings,
    publicUrl,
    basePath: "/service",
    platform: "Naira Pay",
    signIn: { byToken: true },
    ...others
  })

/**
 * Builds the console as a request handler, with its own in-memory services. Both are disposed when the scope closes.
 */
export const make = Effect.fnUntraced(function* (
  signIn: SignInWays = { byToken: true },
  at: Partial<Pick<ConsoleSettings["Service"], "publicUrl" | "basePath">> = {},
  wallet = noWallet,
  personData: ReadonlyArray<PersonDataHolder> = [],
  limits: SessionLimits = { idle: Duration.minutes(30), absolute: Duration.hours(12) }
) {
  const runtime = ManagedRuntime.make(servicesWith(wallet, personData))
  const context = yield* Effect.promise(() => runtime.context())
  const { dispose, handle } = Console.webHandler(
    Layer.mergeAll(
      settings({ ...at, signIn }),
      Layer.succeed(SettingsInForce, inForce),
      Layer.succeed(SessionLimits, limits),
      Layer.succeedContext(context),
      Logger.layer([])
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      await dispose()
      await runtime.dispose()
    })
  )
  return { handler: handle, context, run: runOf(context) }
})

type Provided = Layer.Success<ReturnType<typeof servicesWith>>

const runOf =
  (context: Context.Context<Provided>) =>
  <A, E>(effect: Effect.Effect<A, E, Provided>) =>
    Effect.provideContext(effect, context)

export const applicantCalled = (name: string) =>
  Effect.flatMap(Merchants, (merchants) =>
    merchants.apply(
      {
        name,
        legalName: name,
        contactName: Redacted.make(name),
        contactEmail: Redacted.make("bola@corner.example"),
        country: "NG",
        businessType: "retail"
      },
      "test"
    )
  )

export const applicant = applicantCalled(evil)
