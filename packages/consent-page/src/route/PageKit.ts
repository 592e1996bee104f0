import { LinkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import * as ConsentToken from "@surety/core/consent/link/ConsentToken"
import * as FormGuard from "@surety/page-kit/form/FormGuard"
import type { Html } from "@surety/page-kit/Html"
import { pageAnswer, seeOther } from "@surety/page-kit/PageAnswers"
import { plainText } from "@surety/page-kit/shownText"
import { Effect, Option, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ConsentPageSettings } from "../ConsentPageSettings.js"
import { type Frame, layout, type Screen } from "../screen/Layout.js"

import * as Admissions from "../visit/Admissions.js"
import type { Catalog } from "../words/Catalog.js"
import * as Words from "../words/Words.js"
import { type Assets, makeAssets } from "./Assets.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

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
  const guard = yield* FormGuard.make({ cookie: "consent_visit", purpose: "consent-page.form", isSecure })
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
    pageAnswer(layout(frame, screen), status, { "content-language": frame.words.catalog.language, ...headers })

  const withCookie = (response: Response, name: string, value: string): Response =>
    HttpServerResponse.setCookieUnsafe(response, name, value, cookieOptions)

  /** A page with forms: sets the cookie that they need. */
  const drawIn = ({ frame, visiting }: Visited, screen: Screen, status = 200): Response => {
    const drawn = draw(frame, screen, status)
    return visiting.isNew ? withCookie(drawn, guard.visitCookie, visiting.visit) : drawn
  }

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
