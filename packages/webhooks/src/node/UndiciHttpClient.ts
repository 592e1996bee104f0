import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type Effect, Layer, type Scope } from "effect"
import { HttpClient } from "effect/http"

/**
 * Provides an HTTP client over an undici dispatcher. `NodeHttpClient.layerUndici` would merge all surrounding services
 * into each request's context, which costs more than signing an attempt.
 */
export const layer = <R>(
  dispatcher: Effect.Effect<NodeHttpClient.Dispatcher["Service"], never, R>
): Layer.Layer<HttpClient.HttpClient, never, Exclude<R, Scope.Scope>> =>
  Layer.effect(HttpClient.HttpClient, NodeHttpClient.makeUndici).pipe(
    Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, dispatcher))
  )

/**
 * Provides a client that connects to any host, for development and for hosts that the operator names. Uses HTTP/1.1,
 * like `PinnedHttpClient`.
 */
export const layerDevelopment: Layer.Layer<HttpClient.HttpClient> = layer(
  NodeHttpClient.makeDispatcherOptions({ allowH2: false })
)
