import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaultPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as Routes from "@surety/http/Routes"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as RiderWallet from "./RiderWallet.ts"
import { rideTables } from "./rideTables.ts"
import * as Trips from "./Trips.ts"

export interface AppSettings {
  readonly publicUrl: string
  /** Key that encrypts Surety's secrets: 32 random bytes. */
  readonly secretKey: Redacted.Redacted<Uint8Array>
}

/** Surety's stores in the company's own database. Building them creates the company's tables, then Surety's. */
const stores = PgStores.layer.pipe(
  Layer.provideMerge(PgMigrations.layer),
  Layer.provideMerge(Layer.effectDiscard(rideTables))
)

/** Surety's services, and `Trips`, which calls them. Stores, wallet and `Trips` use the company's PostgreSQL client. */
export const services = ({ publicUrl, secretKey }: AppSettings) =>
  Trips.layer.pipe(
    Layer.provideMerge(SecretKeys.layer),
    Layer.provideMerge(
      Surety.layer({
        stores,
        keyring: Keyring.layer([secretKey]),
        targets: TargetPolicy.layerDevelopment,
        consentUrls: ConsentUrls.layer(publicUrl),
        responses: Responses.layer,
        wallet: RiderWallet.layer
      })
    ),
    Layer.provideMerge(NodeCrypto.layer)
  )

const basePath = "/pay"
const platform = { name: "Swift Rides", contact: "privacy@swift.example" }

const ownRoutes = HttpRouter.add("GET", "/hello", Effect.succeed(HttpServerResponse.text("hello")))

/** Layer that serves Surety's merchant API and consent pages below `/pay`, and the company's routes, on any server. */
const routes = ({ publicUrl }: AppSettings) =>
  HttpRouter.serve(Layer.mergeAll(Routes.layer, ConsentPage.layer, ownRoutes), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(HttpSettings, { publicUrl, basePath, provisioning: "off", operatorToken: undefined, docs: true }),
        Layer.succeed(ConsentPageSettings, { ...defaultPageSettings, publicUrl, basePath, platform }),
        // Logs a consent page's route template instead of its path, because the path may contain a token.
        Layer.succeed(HostedRoutes, pageTemplateOf)
      )
    )
  )

/** The complete server. Its type lists its remaining requirements: a PostgreSQL client and an HTTP server. */
export const layer = (settings: AppSettings) =>
  Layer.merge(routes(settings), Surety.workers({ webhooks: NodeWebhooks.layerDevelopment })).pipe(
    Layer.provideMerge(services(settings))
  )
