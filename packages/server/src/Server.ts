import { NodeHttpServer } from "@effect/platform-node"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Routes from "@surety/http/Routes"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Console, Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as App from "./App.js"
import type { ServerKeys } from "./DevelopmentKeys.js"
import * as Logging from "./Logging.js"
import * as Metrics from "./Metrics.js"
import { makeNodeServer } from "./NodeServer.js"
import * as Sandbox from "./Sandbox.js"
import type { Settings } from "./settings/Settings.js"
import * as startFailed from "./startFailures.js"

/** How long requests that are under way may take once the server is told to stop (contract 15). */
const gracefulShutdownTimeout = "30 seconds"

const httpSettings = (settings: Settings, keys: ServerKeys, origin: string) =>
  Layer.succeed(HttpSettings, {
    publicUrl: settings.publicUrl ?? `${origin}${settings.basePath}`,
    basePath: settings.basePath,
    provisioning: settings.provisioning,
    operatorToken: keys.operatorToken,
    docs: settings.docs
  })

const routes = (settings: Settings, keys: ServerKeys, origin: string) =>
  HttpRouter.serve(Layer.mergeAll(Routes.layer, Metrics.layer(settings.metrics, keys.operatorToken)), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(Layer.provide(httpSettings(settings, keys, origin)))

/**
 * Starts one thing after the other, so that they stop in the opposite order: the interface first, then the dispatcher,
 * then the database.
 */
const start = Effect.fnUntraced(function* (settings: Settings) {
  const { app, keys } = yield* App.open(settings)
  const webhooks = settings.profile === "production" ? NodeWebhooks.layer : NodeWebhooks.layerDevelopment
  yield* Layer.build(webhooks).pipe(Effect.provideContext(app))
  const listening = yield* Layer.build(
    NodeHttpServer.layer(makeNodeServer, { host: settings.host, port: settings.port, gracefulShutdownTimeout })
  ).pipe(Effect.mapError(({ cause }) => startFailed.listening(settings, cause)))
  const origin = HttpServer.formatAddress(Context.get(listening, HttpServer.HttpServer).address)
  yield* Layer.build(routes(settings, keys, origin)).pipe(Effect.provideContext(Context.merge(app, listening)))
  if (settings.profile === "development") {
    yield* Sandbox.welcome(`${origin}${settings.basePath}`).pipe(Effect.provideContext(app))
  }
  yield* Console.log(`surety listening on ${origin}`)
})

/** Serves until it is interrupted. */
export const run = (settings: Settings) =>
  start(settings).pipe(Effect.andThen(Effect.never), Effect.scoped, Effect.provide(Logging.layer(settings)))
