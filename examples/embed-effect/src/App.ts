import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaults } from "@surety/consent-page/ConsentPageSettings"
import { templateOf } from "@surety/consent-page/route/paths"
import * as ConsumerAuthenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as LinkGuessLimit from "@surety/core/consent/admission/LinkGuessLimit"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import * as ConsentLinks from "@surety/core/consent/link/ConsentUrls"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as VerificationRecovery from "@surety/core/kyc/verification/VerificationRecovery"
import * as RefundRecovery from "@surety/core/refund/RefundRecovery"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
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

/** What the pages speak for on which people decide and take consents back: whoever has the link is the person. */
const pages = Layer.mergeAll(PersonConsents.layer, ConsumerAuthenticator.layerLink, LinkGuessLimit.layer)

/** Surety's services over the company's own PostgreSQL client and wallets: what the company's code calls. */
export const services = ({ publicUrl, secretKey }: AppSettings) =>
  Trips.layer.pipe(
    Layer.provideMerge(pages),
    Layer.provideMerge(Services.layerHostWallet),
    Layer.provide(RiderWallet.layer),
    Layer.provideMerge(people(publicUrl)),
    Layer.provideMerge(SecretKeys.layer),
    Layer.provideMerge(PgStores.layer),
    Layer.provideMerge(PgReadiness.layer),
    Layer.provideMerge(PgMigrations.layer),
    Layer.provideMerge(Layer.effectDiscard(rideTables)),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(TargetPolicy.layerDevelopment),
    Layer.provideMerge(Keyring.layer([secretKey])),
    Layer.provideMerge(Responses.layer),
    Layer.provideMerge(NodeCrypto.layer)
  )

/** What runs in the background: webhooks, and whatever a crash has left unfinished. */
const workers = Layer.mergeAll(
  NodeWebhooks.layerDevelopment,
  RefundRecovery.layer,
  ConsentSweeper.layer,
  ConsentSweeper.layerPages,
  VerificationRecovery.layer
)

const basePath = "/pay"
const platform = { name: "Swift Rides", contact: "privacy@swift.example" }

/** The company's own routes. */
const ownRoutes = HttpRouter.add("GET", "/hello", Effect.succeed(HttpServerResponse.text("hello")))

/** Surety's merchant interface and consent pages below `/pay`, beside the company's own routes, on whatever server there is. */
const routes = ({ publicUrl }: AppSettings) =>
  HttpRouter.serve(Layer.mergeAll(Routes.layer, ConsentPage.layer, ownRoutes), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(HttpSettings, { publicUrl, basePath, provisioning: "off", operatorToken: undefined, docs: true }),
        Layer.succeed(ConsentPageSettings, { ...defaults, publicUrl, basePath, platform }),
        // What stands in the log in the place of the pages' addresses, which hold tokens.
        Layer.succeed(HostedRoutes, templateOf)
      )
    )
  )

/** Everything. What it still needs stands in its type: a client of PostgreSQL and a server of HTTP. */
export const layer = (settings: AppSettings) =>
  Layer.merge(routes(settings), workers).pipe(Layer.provideMerge(services(settings)))
