import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { HttpSettings } from "../HttpSettings.js"
import * as NotedRoute from "../NotedRoute.js"
import { documentPaths } from "../RouteTable.js"
import { errorsPage } from "./ErrorsPage.js"
import { documentedApi, openApiDocument } from "./OpenApiDocument.js"

/** What of the reference would speak to its makers is off. */
const scalar = {
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false
} as const

/**
 * Lets a page speak with this server alone, whatever its script may want: it works without the internet, and nobody
 * else learns that it is read.
 */
const contentSecurityPolicy = (publicUrl: string): string =>
  [
    "default-src 'self' 'unsafe-inline' data: blob:",
    "script-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** Puts the policy on every answer of the routes that it is provided to. */
const guarded = (publicUrl: string) =>
  HttpRouter.middleware((page) =>
    Effect.map(
      page,
      HttpServerResponse.setHeaders({
        "content-security-policy": contentSecurityPolicy(publicUrl),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      })
    )
  ).layer

/** `GET /docs`, `/docs/errors` and `/openapi.json` (contract 15), where the deployment has them. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | HttpSettings> = Layer.unwrap(
  Effect.map(HttpSettings, ({ docs, publicUrl }) => {
    if (!docs) return Layer.empty
    return Layer.mergeAll(
      HttpApiScalar.layer(documentedApi(publicUrl), { path: documentPaths.page, scalar }),
      HttpRouter.add("GET", documentPaths.errors, HttpServerResponse.html(errorsPage)),
      HttpRouter.add("GET", documentPaths.openApi, HttpServerResponse.jsonUnsafe(openApiDocument(publicUrl)))
    ).pipe(Layer.provide([guarded(publicUrl), NotedRoute.layer]))
  })
)
