import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import * as VerificationRecovery from "@surety/core/kyc/verification/VerificationRecovery"
import { RateLimits } from "@surety/http/access/RateLimits"
import { ReadsAtOnce } from "@surety/http/access/ReadShare"
import { connectionAnswer, connectionProblem } from "@surety/http/ConnectionErrors"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as NodeCompression from "@surety/http/node/NodeCompression"
import { countUnreadUnsafe } from "@surety/http/RequestMetrics"
import * as Routes from "@surety/http/Routes"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Console, Context, Effect, Layer, References, Scope } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import * as App from "./App.js"
import * as consentPage from "./consentPage.js"
import * as Database from "./Database.js"
import type { ServerKeys } from "./DevelopmentKeys.js"
import { httpSettings } from "./httpSettings.js"
import * as Logging from "./Logging.js"
import * as Metrics from "./Metrics.js"
import { makeNodeServer } from "./NodeServer.js"
import { PublicAddress } from "./PublicAddress.js"
import { rateLimitsOf, readsAtOnce } from "./rateLimits.js"
import * as Sandbox from "./Sandbox.js"
import type { Settings } from "./settings/Settings.js"
import * as startFailed from "./startFailures.js"
import { onUnnamedProxy, unnamedProxyWarning } from "./unnamedProxy.js"

/** How long requests that are under way may take once the server is told to stop (contract 15), at the very most. */
const gracefulShutdownTimeout = "30 seconds"

const routes = (settings: Settings, keys: ServerKeys, origin: string) => {
  const served = httpSettings(settings, keys, origin)
  const page = consentPage.layer(settings, served.publicUrl)
  return HttpRouter.serve(Layer.mergeAll(Routes.layer, page, Metrics.layer(settings.metrics, keys.operatorToken)), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true,
    ...(settings.trustedProxies.length === 0
      ? {}
      : { middleware: HttpMiddleware.xForwardedHeaders({ trustedProxies: settings.trustedProxies }) })
  }).pipe(
    Layer.provide([Layer.succeed(HttpSettings, served), consentPage.logged, NodeCompression.layer]),
    Layer.provide([
      Layer.succeed(RateLimits, rateLimitsOf(settings)),
      Layer.succeed(ReadsAtOnce, readsAtOnce(settings))
    ])
  )
}

/** Says why a first start is silent for a while. */
const announceNewDatabase = Effect.fnUntraced(function* (settings: Settings) {
  if (Database.isToBeMade(settings))
    yield* Console.log(`Making ${Database.describe(settings)}. This once, it takes up to half a minute.\n`)
})

/** Says what people would get for a link where nobody has told the server how it is reached. */
const warnOfMissingAddress = ({ profile, publicUrl }: Settings, origin: string) =>
  profile === "production" && publicUrl === undefined
    ? Effect.logWarning(`PUBLIC_URL is not set: the links that people get begin with ${origin}`)
    : Effect.void

const warnOfIdleWorkers = ({ workers }: Settings) =>
  workers
    ? Effect.void
    : Effect.logWarning("WORKERS=off: this server sends no webhooks and calls no hooks, and leaves work that is due")

/** Node's server; in production it warns of a proxy that nobody named. */
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
 * Starts one thing after the other. Interface, dispatcher, upkeep and recovery stop at the same time, so that together
 * they take no longer than the slowest of them; the database stops when all are done. Refunds need no recovery here:
 * they are finished in the commit that begins them.
 */
const start = Effect.fnUntraced(function* (settings: Settings) {
  yield* announceNewDatabase(settings)
  const { app, keys } = yield* App.open(settings)
  const parts = yield* Scope.fork(yield* Effect.scope, "parallel")
  if (settings.workers) {
    const webhooks = settings.profile === "production" ? NodeWebhooks.layer : NodeWebhooks.layerDevelopment
    yield* Layer.buildWithScope(webhooks, yield* Scope.fork(parts)).pipe(Effect.provideContext(app))
    const upkeep = Layer.mergeAll(ConsentSweeper.layer, ConsentSweeper.layerPages, VerificationRecovery.layer)
    yield* Layer.buildWithScope(upkeep, yield* Scope.fork(parts)).pipe(Effect.provideContext(app))
  }
  const expectedOrigin = `http://${settings.host}:${settings.port}`
  const malformed = (errorCode: string | undefined, isOfRequest: boolean) => {
    // A request that has begun is counted when it ends.
    if (!isOfRequest) countUnreadUnsafe(app, connectionProblem(errorCode).status)
    return connectionAnswer(errorCode, httpSettings(settings, keys, expectedOrigin))
  }
  const interfaceScope = yield* Scope.fork(parts)
  const services = yield* Effect.context<never>()
  const listening = yield* Layer.buildWithScope(
    NodeHttpServer.layer(() => nodeServer(settings, malformed, services), {
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
  const baseUrl = `${origin}${settings.basePath}`
  if (settings.profile === "development") {
    yield* Sandbox.welcome(baseUrl, settings).pipe(Effect.provideContext(app))
  }
  yield* warnOfMissingAddress(settings, origin)
  yield* warnOfIdleWorkers(settings)
  yield* Console.log(`surety listening on ${baseUrl}`)
})

/** Serves until it is interrupted. Spans are not made, since there is nobody yet to send them to. */
export const run = (settings: Settings) =>
  start(settings).pipe(
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide([Logging.layer(settings), Layer.succeed(References.TracerEnabled, false)])
  )
