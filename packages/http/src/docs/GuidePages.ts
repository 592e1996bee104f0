import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Exchange, problemAnswer } from "../Exchange.js"
import { problem } from "../problem/Problem.js"
import { documentPaths, guidePath, guideTemplate, welcomePath } from "../RouteTable.js"
import * as StaticContent from "../static/StaticContent.js"
import { baseUrlMark, type GuideSite } from "./GuideSite.js"

/** The policy of the guides: pages load files only from this server. Inline scripts and styles are blocked. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const guarded = HttpRouter.middleware((page) =>
  Effect.map(
    page,
    HttpServerResponse.setHeaders({
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    })
  )
).layer

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const htmlContent = (html: string, publicUrl: string) =>
  StaticContent.ofText(
    html.replaceAll(baseUrlMark, () => escapeHtml(publicUrl)),
    "text/html",
    StaticContent.revalidated
  )

const noted = <A>(template: string, answer: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(Exchange, (exchange) => {
    exchange.route = template
    return answer
  })

/** The pages' assets, in `files`, are served with the reference's scripts. */
export const pages = ({ pages: guides }: GuideSite, publicUrl: string) =>
  Effect.map(
    Effect.forEach(guides, ({ html, slug }) =>
      Effect.map(htmlContent(html, publicUrl), (content) =>
        HttpRouter.add("GET", slug === "" ? documentPaths.page : guidePath(slug), (request) =>
          noted(slug === "" ? documentPaths.page : guideTemplate, content.answer(request))
        )
      )
    ),
    (routes) => Layer.mergeAll(Layer.empty, ...routes).pipe(Layer.provide(guarded))
  )

export const files = ({ assets }: GuideSite) =>
  Effect.map(
    Effect.forEach(assets, ({ contentType, name, text }) =>
      Effect.map(StaticContent.ofText(text, contentType, StaticContent.immutable), (file) => [name, file] as const)
    ),
    (entries) => new Map(entries)
  )

/** True if a request explicitly accepts HTML, as browsers do and most programs do not. */
const asksForHtml = ({ headers: { accept = "" } }: HttpServerRequest.HttpServerRequest): boolean =>
  accept.split(",").some((member) => /^\s*text\/html\s*(?:;(?!.*\bq=0(?:\.0*)?\s*$).*)?$/i.test(member))

const varying = { vary: "accept" } as const

/**
 * Builds the route of the welcome page at the base url. A request that does not explicitly accept HTML gets
 * `route_not_found`.
 */
export const welcome = ({ welcome: html }: GuideSite, publicUrl: string) =>
  Effect.map(htmlContent(html, publicUrl), (page) =>
    HttpRouter.add("GET", welcomePath, (request) =>
      asksForHtml(request)
        ? Effect.map(noted(welcomePath, page.answer(request)), (response) =>
            HttpServerResponse.setHeader(response, "vary", `${response.headers.vary ?? ""}, accept`.replace(/^, /, ""))
          )
        : Effect.map(Exchange, (exchange) => problemAnswer(exchange, problem("route_not_found", { headers: varying })))
    ).pipe(Layer.provide(guarded))
  )
