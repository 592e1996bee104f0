import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type Effect, Layer, type Scope } from "effect"
import { HttpClient } from "effect/http"

/**
 * An HTTP client over a dispatcher of undici. `NodeHttpClient.layerUndici` would give every answer all the services that
 * it was built among, which costs an attempt more than signing it.
 */
export const layer = <R>(
  dispatcher: Effect.Effect<NodeHttpClient.Dispatcher["Service"], never, R>
): Layer.Layer<HttpClient.HttpClient, never, Exclude<R, Scope.Scope>> =>
  Layer.effect(HttpClient.HttpClient, NodeHttpClient.makeUndici).pipe(
    Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, dispatcher))
  )

/** To any host: for development. HTTP/1.1, as `PinnedHttpClient`. */
export const layerDevelopment: Layer.Layer<HttpClient.HttpClient> = layer(
  NodeHttpClient.makeDispatcherOptions({ allowH2: false })
)
