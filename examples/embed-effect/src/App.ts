import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ConsentLinks from "@surety/core/consent/ConsentLinks"
import * as ConsentNotifier from "@surety/core/consent/ConsentNotifier"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import * as UnknownConsumerLimit from "@surety/core/consent/UnknownConsumerLimit"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as KycProviders from "@surety/core/kyc/KycProviders"
import * as VerificationRecovery from "@surety/core/kyc/VerificationRecovery"
import * as RefundRecovery from "@surety/core/refund/RefundRecovery"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Routes from "@surety/http/Routes"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgStores from "@surety/postgres/PgStores"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as RiderWallet from "./RiderWallet.ts"
import { rideTables } from "./rideTables.ts"
import * as Trips from "./Trips.ts"

export interface AppSettings {
  readonly publicUrl: string
  /** 32 random bytes. */
  readonly secretKey: Redacted.Redacted<Uint8Array>
}

/** What consent and KYC ask of a host: here what Surety brings along. Each is a port with a layer in its place. */
const people = (publicUrl: string) =>
  Layer.mergeAll(
    ConsumerDirectory.layer,
    ConsentNotifier.layerNone,
    ConsentLinks.layer(publicUrl),
    UnknownConsumerLimit.layer,
    KycProviders.layerSandbox
  )

/** Surety's services over the company's own PostgreSQL client and wallets: what the company's code calls. */
export const services = ({ publicUrl, secretKey }: AppSettings) =>
  Trips.layer.pipe(
    Layer.provideMerge(Services.layerHostWallet),
    Layer.provide(RiderWallet.layer),
    Layer.provideMerge(people(publicUrl)),
    Layer.provideMerge(PgStores.layer),
    Layer.provideMerge(PgReadiness.layer),
    Layer.provideMerge(PgMigrations.layer),
    Layer.provideMerge(Layer.effectDiscard(rideTables)),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(TargetPolicy.layerDevelopment),
    Layer.provideMerge(Keyring.layer([secretKey])),
    Layer.provideMerge(NodeCrypto.layer)
  )

/** What runs in the background: webhooks, and whatever a crash has left unfinished. */
const workers = Layer.mergeAll(
  NodeWebhooks.layerDevelopment,
  RefundRecovery.layer,
  ConsentSweeper.layer,
  VerificationRecovery.layer
)

/** The company's own routes. */
const ownRoutes = HttpRouter.add("GET", "/hello", Effect.succeed(HttpServerResponse.text("hello")))

/** Surety's merchant interface below `/pay`, beside the company's own routes, on whatever server there is. */
const routes = ({ publicUrl }: AppSettings) =>
  HttpRouter.serve(Layer.merge(Routes.layer, ownRoutes), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(
      Layer.succeed(HttpSettings, {
        publicUrl,
        basePath: "/pay",
        provisioning: "off",
        operatorToken: undefined,
        docs: true
      })
    )
  )

/** Everything. What it still needs stands in its type: a client of PostgreSQL and a server of HTTP. */
export const layer = (settings: AppSettings) =>
  Layer.merge(routes(settings), workers).pipe(Layer.provideMerge(services(settings)))
