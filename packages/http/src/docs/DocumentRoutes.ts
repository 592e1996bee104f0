import { Effect, Layer } from "effect"
import type { Digest } from "effect/crypto"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { OpenApi } from "effect/http-api"
import { Exchange, problemAnswer } from "../Exchange.js"
import { HttpSettings } from "../HttpSettings.js"
import * as NotedRoute from "../NotedRoute.js"
import { problem } from "../problem/Problem.js"
import { documentPaths } from "../RouteTable.js"
import { Compression } from "../static/Compression.js"
import * as StaticContents from "../static/StaticContent.js"
import { errorsPage } from "./ErrorsPage.js"
import * as GuidePages from "./GuidePages.js"
import { type GuideSite, Guides } from "./GuideSite.js"
import { documentFor } from "./OpenApiAudiences.js"
import { openApiDocument } from "./OpenApiDocument.js"
import * as ReferencePage from "./ReferencePage.js"

type StaticContent = StaticContents.StaticContent

/**
 * Builds the content security policy that blocks third-party content, so that third parties learn nothing about a
 * page's readers. Scripts load only from the server's files, never inline. They may call only the page's origin and the
 * origin of `publicUrl`.
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

const json = (document: OpenApi.OpenAPISpec) =>
  StaticContents.make({
    bytes: new TextEncoder().encode(JSON.stringify(document)),
    contentType: "application/json",
    headers: StaticContents.revalidated
  })

/** A value built on the first request, or at start-up if compression is eager. */
type Later<A> = Effect.Effect<A>

const servingLater = (path: HttpRouter.PathInput, content: Later<StaticContent>) =>
  HttpRouter.add("GET", path, (request) => Effect.flatMap(content, (made) => made.answer(request)))

/**
 * Builds the routes of the deployment's pages: its guides and, if enabled, the welcome page. Without guides, builds the
 * reference at `/docs` and `errorsPage` at `/docs/errors` instead.
 */
const pagesOf = Effect.fnUntraced(function* (
  site: GuideSite | undefined,
  reference: Later<ReferencePage.ReferencePage>
) {
  const { publicUrl, welcome = false } = yield* HttpSettings
  if (site === undefined) {
    const errors = yield* StaticContents.ofText(errorsPage, "text/html", StaticContents.revalidated)
    return Layer.merge(
      servingLater(
        documentPaths.page,
        Effect.map(reference, ({ pageAtRoot }) => pageAtRoot)
      ),
      serving(documentPaths.errors, errors)
    ).pipe(Layer.provide([guarded(publicUrl), NotedRoute.layer]))
  }
  const guides = yield* GuidePages.pages(site, publicUrl)
  return welcome ? Layer.merge(guides, yield* GuidePages.welcome(site, publicUrl)) : guides
})

/**
 * Layer of the documentation's routes, such as the guides, the reference and the OpenAPI documents (contract 15). Empty
 * if the deployment disables the documentation.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | HttpSettings | Digest.Digest> = Layer.unwrap(
  Effect.gen(function* () {
    const { docs, publicUrl } = yield* HttpSettings
    if (!docs) return Layer.empty
    const site = yield* Guides
    const services = yield* Effect.context<Digest.Digest>()
    // Cached, because the documents and the reference's scripts are megabytes in total. Uninterruptible, because other
    // callers may still await a build after its first caller disconnects.
    const later = <A>(make: Effect.Effect<A, never, Digest.Digest>): Effect.Effect<Later<A>> =>
      Effect.cached(Effect.uninterruptible(Effect.provideContext(make, services)))
    const documents = yield* later(
      Effect.sync(() => {
        const document = openApiDocument(publicUrl)
        return { document, merchant: documentFor(document, "merchant"), operator: documentFor(document, "operator") }
      })
    )
    const jsonOf = (which: "document" | "merchant" | "operator") =>
      later(Effect.flatMap(documents, (each) => json(each[which])))
    const [all, ofMerchants, ofOperators] = [
      yield* jsonOf("document"),
      yield* jsonOf("merchant"),
      yield* jsonOf("operator")
    ]
    const reference = yield* later(Effect.flatMap(documents, (each) => ReferencePage.make(each, site, publicUrl)))
    const { isEager } = yield* Compression
    if (isEager) yield* Effect.all([all, ofMerchants, ofOperators, reference], { discard: true })
    const files: ReadonlyMap<string, StaticContent> = new Map(site === undefined ? [] : yield* GuidePages.files(site))
    const fileOf = (name: string): Effect.Effect<StaticContent | undefined> =>
      ReferencePage.isScript(name)
        ? Effect.map(reference, ({ scripts }) => scripts.get(name))
        : Effect.succeed(files.get(name))
    const asset = HttpRouter.add("GET", documentPaths.asset, (request) =>
      Effect.gen(function* () {
        const { file = "" } = yield* HttpRouter.params
        const content = yield* fileOf(file)
        return yield* content?.answer(request) ?? noSuchFile
      })
    )
    const own = Layer.mergeAll(
      servingLater(
        documentPaths.reference,
        Effect.map(reference, ({ page }) => page)
      ),
      servingLater(documentPaths.openApi, all),
      servingLater(documentPaths.openApiOfMerchants, ofMerchants),
      servingLater(documentPaths.openApiOfOperators, ofOperators),
      asset
    ).pipe(Layer.provide([guarded(publicUrl), NotedRoute.layer]))
    return Layer.merge(own, yield* pagesOf(site, reference))
  })
)
