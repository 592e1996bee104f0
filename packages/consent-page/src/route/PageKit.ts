import { LinkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import * as ConsentToken from "@surety/core/consent/link/ConsentToken"
import { Effect, Option, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ConsentPageSettings } from "../ConsentPageSettings.js"
import type { Html } from "../Html.js"
import { type Frame, layout, type Screen } from "../screen/Layout.js"
import { plainText } from "../shownText.js"
import * as Admissions from "../visit/Admissions.js"
import * as FormGuard from "../visit/FormGuard.js"
import type { Catalog } from "../words/Catalog.js"
import * as Words from "../words/Words.js"
import { type Assets, makeAssets } from "./Assets.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A browser may only show our pages and send their forms back. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/** On every response about a person. */
export const privateHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()"
}

/** One visit of a page: its frame, words and browser. */
export interface Visited {
  readonly request: Request
  readonly token: Redacted.Redacted<string>
  readonly link: ConsentToken.ConsentTokenHash
  readonly visiting: FormGuard.Visiting
  readonly frame: Frame
  readonly catalog: Catalog
  /** The query of links to our own pages: the language, if one was chosen. */
  readonly query: string
}

const queryOf = ({ url }: Request): URLSearchParams => new URLSearchParams(url.split("?")[1] ?? "")

/** What every route of the page uses. */
export const make = Effect.gen(function* () {
  const settings = yield* ConsentPageSettings
  const guesses = yield* LinkGuessLimit
  const digest = yield* Digest.Digest
  const publicPath = new URL(settings.publicUrl).pathname.replace(/\/+$/u, "")
  const isSecure = new URL(settings.publicUrl).protocol === "https:"
  const guard = yield* FormGuard.make(isSecure)
  const admissions = yield* Admissions.make(isSecure)
  const assets: Assets = yield* makeAssets(settings, publicPath)
  const cookieOptions = { httpOnly: true, secure: isSecure, sameSite: "lax", path: "/" } as const

  /** The address of a page for a browser. */
  const hrefOf = (template: string, token: Redacted.Redacted<string>, rest = ""): string =>
    publicPath + template.replace(":token", encodeURIComponent(Redacted.value(token))) + rest

  const frameOf = (
    request: Request,
    asked: string | undefined = queryOf(request).get("lang") ?? undefined
  ): { readonly frame: Frame; readonly catalog: Catalog; readonly query: string } => {
    const catalog = Words.chooseCatalog(settings.catalogs, asked, request.headers["accept-language"])
    return {
      catalog,
      query: asked === undefined ? "" : `?lang=${encodeURIComponent(catalog.language)}`,
      frame: {
        words: Words.make(catalog, settings.timeZone),
        platform: plainText(settings.platform.name, 60),
        contact: settings.platform.contact,
        home: settings.home,
        authority: settings.authority,
        assets: assets.hrefs,
        languages: settings.catalogs.map(({ language, name }) => ({ language, name }))
      }
    }
  }

  /** Every page, with its privacy headers. */
  const draw = (frame: Frame, screen: Screen, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
    HttpServerResponse.text(layout(frame, screen), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...privateHeaders, "content-language": frame.words.catalog.language, ...headers }
    })

  const withCookie = (response: Response, name: string, value: string): Response =>
    HttpServerResponse.setCookieUnsafe(response, name, value, cookieOptions)

  /** A page with forms: sets the cookie that they need. */
  const drawIn = ({ frame, visiting }: Visited, screen: Screen, status = 200): Response => {
    const drawn = draw(frame, screen, status)
    return visiting.isNew ? withCookie(drawn, guard.visitCookie, visiting.visit) : drawn
  }

  /** Redirects after a form, so that reloading the page sends nothing again. */
  const seeOther = (href: string): Response =>
    HttpServerResponse.empty({ status: 303, headers: { ...privateHeaders, location: href } })

  const visited = Effect.fnUntraced(function* (request: Request, token: Redacted.Redacted<string>) {
    const visit: Visited = {
      request,
      token,
      link: yield* Effect.provideService(ConsentToken.hashOf(token), Digest.Digest, digest),
      visiting: yield* guard.visiting(request),
      ...frameOf(request)
    }
    return visit
  })

  return {
    settings,
    assets,
    guard,
    admissions,
    hrefOf,
    frameOf,
    draw,
    drawIn,
    withCookie,
    seeOther,
    visited,

    /** The same visit in another language. */
    inLanguage: (visit: Visited, language: string): Visited => ({ ...visit, ...frameOf(visit.request, language) }),

    queryOf,
    guardField: ({ link, visiting }: Visited): Effect.Effect<Html> => guard.field(visiting.visit, link),
    checkGuesses: (request: Request) => guesses.check(addressOf(request)),
    countGuess: (request: Request) => guesses.count(addressOf(request))
  }
})

export type PageKit = Effect.Success<typeof make>

const addressOf = ({ remoteAddress }: Request): string => Option.getOrElse(remoteAddress, () => "unknown")
