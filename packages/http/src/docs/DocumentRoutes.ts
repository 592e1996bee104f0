import { Effect, Layer } from "effect"
import type { Digest } from "effect/crypto"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Exchange, problemAnswer } from "../Exchange.js"
import { HttpSettings } from "../HttpSettings.js"
import * as NotedRoute from "../NotedRoute.js"
import { problem } from "../problem/Problem.js"
import { documentPaths } from "../RouteTable.js"
import * as StaticContents from "../static/StaticContent.js"
import { errorsPage } from "./ErrorsPage.js"
import { openApiDocument } from "./OpenApiDocument.js"
import * as ReferencePage from "./ReferencePage.js"

type StaticContent = StaticContents.StaticContent

/**
 * Limits a page and its scripts to this server: it works offline, and no third party learns of its readers. Scripts
 * load from the server's files only, never inline.
 */
const contentSecurityPolicy = (publicUrl: string): string =>
  [
    "default-src 'self' 'unsafe-inline' data: blob:",
    "script-src 'self'",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** Adds the policy to every response of the routes that it is provided to. */
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

type Answer = ReturnType<StaticContent["answer"]>

const serving = (path: HttpRouter.PathInput, content: StaticContent) =>
  HttpRouter.add("GET", path, (request) => content.answer(request))

const noSuchFile: Answer = Effect.map(Exchange, (exchange) => problemAnswer(exchange, problem("route_not_found")))

/** `GET /docs`, its scripts, `/docs/errors` and `/openapi.json` (contract 15), if the deployment serves them. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | HttpSettings | Digest.Digest> = Layer.unwrap(
  Effect.gen(function* () {
    const { docs, publicUrl } = yield* HttpSettings
    if (!docs) return Layer.empty
    const document = openApiDocument(publicUrl)
    const { page, scripts } = yield* ReferencePage.make(document)
    const errors = yield* StaticContents.ofText(errorsPage, "text/html", StaticContents.revalidated)
    const json = JSON.stringify(document)
    const openApi = yield* StaticContents.make({
      bytes: new TextEncoder().encode(json),
      contentType: "application/json",
      headers: StaticContents.revalidated
    })
    const asset = HttpRouter.add("GET", documentPaths.asset, (request) =>
      Effect.flatMap(HttpRouter.params, ({ file = "" }) => scripts.get(file)?.answer(request) ?? noSuchFile)
    )
    return Layer.mergeAll(
      serving(documentPaths.page, page),
      serving(documentPaths.errors, errors),
      serving(documentPaths.openApi, openApi),
      asset
    ).pipe(Layer.provide([guarded(publicUrl), NotedRoute.layer]))
  })
)
