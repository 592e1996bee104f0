import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Surety from "@surety/core/Surety"
import { hasOperators } from "@surety/http/access/OperatorToken"
import { RateLimits } from "@surety/http/access/RateLimits"
import { ReadsAtOnce } from "@surety/http/access/ReadShare"
import { RequestsAtOnce } from "@surety/http/access/RequestsAtOnce"
import { connectionAnswer, connectionProblem } from "@surety/http/ConnectionErrors"
import { PieceOwner } from "@surety/http/form/PieceOwner"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as NodeCompression from "@surety/http/node/NodeCompression"
import * as NodeGuides from "@surety/http/node/NodeGuides"
import { countUnreadUnsafe } from "@surety/http/RequestMetrics"
import * as Routes from "@surety/http/Routes"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Console, Context, Effect, Layer, Scope } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import * as App from "./App.js"
import * as Database from "./Database.js"
import type { ServerKeys } from "./DevelopmentKeys.js"
import { EarlyRequests } from "./EarlyRequests.js"
import { platformHook } from "./hook/platformHook.js"
import { httpSettings } from "./httpSettings.js"
import * as Logging from "./Logging.js"
import * as Metrics from "./Metrics.js"
import { makeNodeServer } from "./NodeServer.js"
import { PublicAddress } from "./PublicAddress.js"
import * as consentPage from "./page/consentPage.js"
import * as operatorConsole from "./page/operatorConsole.js"
import { rateLimitsOfSettings, readsAtOnce } from "./rateLimits.js"
import * as Sandbox from "./Sandbox.js"
import type { SettingFault } from "./settings/Setting.js"
import type { Settings } from "./settings/Settings.js"
import * as startFailed from "./startFailures.js"
import * as Telemetry from "./Telemetry.js"
import { onUnnamedProxy, unnamedProxyWarning } from "./unnamedProxy.js"

/** Maximum time to close the HTTP server after a stop signal (contract 15). Open connections are cut after 28 s. */
const gracefulShutdownTimeout = "30 seconds"

const routes = (settings: Settings, keys: ServerKeys, origin: string) => {
  const served = httpSettings(settings, keys, origin)
  const page = consentPage.layer(settings, served.publicUrl)
  const console = operatorConsole.layer(settings, served.publicUrl, hasOperators(served))
  return HttpRouter.serve(Layer.mergeAll(Routes.layer, page, console, Metrics.layer(settings.metrics, served)), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true,
    ...(settings.trustedProxies.length === 0
      ? {}
      : { middleware: HttpMiddleware.xForwardedHeaders({ trustedProxies: settings.trustedProxies }) })
  }).pipe(
    Layer.provide([Telemetry.requestSpans(settings), consentPage.logged, NodeCompression.layer, NodeGuides.layer]),
    Layer.provide(Layer.succeed(HttpSettings, served)),
    Layer.provide([
      Layer.succeed(RateLimits, rateLimitsOfSettings(settings)),
      Layer.succeed(PieceOwner, "server"),
      Layer.succeed(ReadsAtOnce, readsAtOnce(settings)),
      Layer.succeed(RequestsAtOnce, settings.requestsAtOnce === 0 ? undefined : settings.requestsAtOnce)
    ])
  )
}

const announceNewDatabase = Effect.fnUntraced(function* (settings: Settings) {
  if (Database.isToBeMade(settings))
    yield* Console.log(`Creating ${Database.describe(settings)}. The first start takes up to half a minute.\n`)
})

const warnOfMissingAddress = ({ profile, publicUrl }: Settings, origin: string) =>
  profile === "production" && publicUrl === undefined
    ? Effect.logWarning(`PUBLIC_URL is not set: links for people begin with ${origin}`)
    : Effect.void

const warnOfIdleWorkers = ({ workers }: Settings) =>
  workers
    ? Effect.void
    : Effect.logWarning(
        "WORKERS=off: this server sends no webhooks, calls no hooks or KYC vendors, and recovers nothing"
      )

const warnOfMisspelt = (misspelt: ReadonlyArray<SettingFault>) =>
  Effect.forEach(misspelt, ({ detail, name }) => Effect.logWarning(`${name} ${detail}`), { discard: true })

/** Builds the Node server. In production, warns once if a peer outside `TRUSTED_PROXIES` sends `X-Forwarded-For`. */
const nodeServer = (
  { profile, trustedProxies }: Settings,
  malformed: Parameters<typeof makeNodeServer>[0],
  services: Context.Context<never>
) => {
  const server = makeNodeServer(malformed)
  if (profile === "production") {
    onUnnamedProxy(server, trustedProxies, (peer) => void Effect.runForkWith(services)(unnamedProxyWarning(peer)))
  }
  return server
}

/**
 * Opens the database, then starts the workers if `WORKERS` is on, then the HTTP server. Workers and HTTP server stop
 * concurrently, to save time. The database closes after both.
 */
const start = Effect.fnUntraced(function* (settings: Settings, misspelt: ReadonlyArray<SettingFault>) {
  yield* warnOfMisspelt(misspelt)
  yield* announceNewDatabase(settings)
  const { app, keys } = yield* App.open(settings)
  const parts = yield* Scope.fork(yield* Effect.scope, "parallel")
  yield* Telemetry.keepFresh(settings).pipe(Effect.provideContext(app), Scope.provide(yield* Scope.fork(parts)))
  if (settings.workers) {
    const webhooks = settings.profile === "production" ? NodeWebhooks.layer : NodeWebhooks.layerDevelopment
    const sending = Layer.merge(webhooks, platformHook(settings))
    yield* Layer.buildWithScope(Surety.workers({ webhooks: sending }), yield* Scope.fork(parts)).pipe(
      Effect.provideContext(app)
    )
  }
  const expectedOrigin = `http://${settings.host}:${settings.port}`
  const malformed = (errorCode: string | undefined, isOfRequest: boolean) => {
    // A request in flight is counted when it ends. Counting it now would count it twice.
    if (!isOfRequest) countUnreadUnsafe(app, connectionProblem(errorCode).status)
    return connectionAnswer(errorCode, httpSettings(settings, keys, expectedOrigin))
  }
  const interfaceScope = yield* Scope.fork(parts)
  const services = yield* Effect.context<never>()
  const server = nodeServer(settings, malformed, services)
  const early = new EarlyRequests(server)
  const listening = yield* Layer.buildWithScope(
    NodeHttpServer.layer(() => server, {
      host: settings.host,
      port: settings.port,
      gracefulShutdownTimeout
    }),
    interfaceScope
  ).pipe(Effect.mapError(({ cause }) => startFailed.listening(settings, cause)))
  const origin = HttpServer.formatAddress(Context.get(listening, HttpServer.HttpServer).address)
  yield* Context.get(app, PublicAddress).listensAt(origin)
  yield* Layer.buildWithScope(routes(settings, keys, origin), interfaceScope).pipe(
    Effect.provideContext(Context.merge(app, listening))
  )
  early.release()
  const baseUrl = `${origin}${settings.basePath}`
  if (settings.profile === "development") {
    yield* Sandbox.welcome(baseUrl, settings).pipe(
      Effect.catchTag("StoreError", (error) => Effect.fail(startFailed.database(settings, error))),
      Effect.provideContext(app)
    )
  }
  yield* warnOfMissingAddress(settings, origin)
  yield* warnOfIdleWorkers(settings)
  yield* Console.log(`surety listening on ${baseUrl}`)
})

/** Serves until interrupted. Logs a warning for each variable that looks like a misspelt setting. */
export const run = (settings: Settings, misspelt: ReadonlyArray<SettingFault>) =>
  start(settings, misspelt).pipe(
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Telemetry.layer(settings), Logging.layer(settings)))
  )
