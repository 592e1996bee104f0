import type { AuthenticatorUnavailable } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { LinkGuessLimit, type TooManyGuesses } from "@surety/core/consent/admission/LinkGuessLimit"
import * as ConsentToken from "@surety/core/consent/link/ConsentToken"
import { pathOf } from "@surety/core/PlainPath"
import type { StoreError } from "@surety/core/StoreError"
import * as FormGuard from "@surety/page-kit/form/FormGuard"
import { readSentForm } from "@surety/page-kit/form/SentForm"
import type { Html } from "@surety/page-kit/Html"
import { pageAnswer, seeOther } from "@surety/page-kit/PageAnswers"
import { plainText } from "@surety/page-kit/shownText"
import { Effect, Option, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { type HttpRouter, type HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ConsentPageSettings } from "../ConsentPageSettings.js"
import { type Frame, layout, type Screen } from "../screen/Layout.js"
import { downScreen, goneScreen, staleScreen, tooManyScreen } from "../screen/MessageScreens.js"
import type { Catalog } from "../words/Catalog.js"
import * as Words from "../words/Words.js"
import { type Assets, makeAssets } from "./Assets.js"
import { linkToken, pageTemplateOf, paths } from "./paths.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** One visit to a page: its request and link, the browser's visit cookie, and the language. */
export interface Visited {
  readonly request: Request
  readonly token: Redacted.Redacted<string>
  readonly link: ConsentToken.ConsentTokenHash
  readonly visiting: FormGuard.Visiting
  readonly frame: Frame
  readonly catalog: Catalog
  /** Query for links to our own pages: the language, if one was chosen. */
  readonly query: string
}

const queryOf = ({ url }: Request): URLSearchParams => new URLSearchParams(url.split("?").slice(1).join("?"))

/**
 * Chooses the page's catalog by the requested language or, if none is requested, by the browser's preferences (RFC
 * 9110, 12.5.4). If no catalog matches, chooses the host's first catalog.
 */
export const chooseCatalog = (
  catalogs: readonly [Catalog, ...ReadonlyArray<Catalog>],
  asked: string | undefined,
  acceptLanguage: string | undefined
): Catalog => {
  const byLanguage = (language: string) => catalogs.find((catalog) => catalog.language === language)
  if (asked !== undefined) return byLanguage(asked) ?? catalogs[0]
  const preferred = (acceptLanguage ?? "")
    .split(",")
    .slice(0, 20)
    .map((range) => {
      const [tag = "", ...parameters] = range.trim().toLowerCase().split(";")
      const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/u.exec(one)?.[1]).find((q) => q !== undefined)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of preferred) {
    const catalog = byLanguage(tag) ?? byLanguage(tag.split("-")[0] ?? "")
    if (catalog !== undefined) return catalog
  }
  return catalogs[0]
}

/** Builds the tools that routes share, for example to render pages and guard forms. */
export const make = Effect.gen(function* () {
  const settings = yield* ConsentPageSettings
  const guesses = yield* LinkGuessLimit
  const digest = yield* Digest.Digest
  const publicPath = new URL(settings.publicUrl).pathname.replace(/\/+$/u, "")
  const isSecure = new URL(settings.publicUrl).protocol === "https:"
  const guard = yield* FormGuard.make({ cookie: "consent_visit", purpose: "consent-page.form", isSecure })
  const assets: Assets = yield* makeAssets(settings, publicPath)
  const cookieOptions = { httpOnly: true, secure: isSecure, sameSite: "lax", path: "/" } as const

  /** Builds a page's url for a browser, as an absolute path. */
  const hrefOf = (template: string, token: Redacted.Redacted<string>, rest = ""): string =>
    publicPath + template.replace(":token", encodeURIComponent(Redacted.value(token))) + rest

  const frames = new Map<Catalog, Frame>()

  /** Caches each catalog's frame, because its date formats are slow to construct. */
  const frameIn = (catalog: Catalog): Frame => {
    const known = frames.get(catalog)
    if (known !== undefined) return known
    const frame: Frame = {
      words: Words.make(catalog, settings.timeZone),
      platform: plainText(settings.platform.name, 60),
      contact: settings.platform.contact,
      home: settings.home,
      authority: settings.authority,
      assets: assets.hrefs,
      languages: settings.catalogs.map(({ language, name }) => ({ language, name }))
    }
    frames.set(catalog, frame)
    return frame
  }

  const frameOf = (
    request: Request,
    asked: string | undefined = queryOf(request).get("lang") ?? undefined
  ): { readonly frame: Frame; readonly catalog: Catalog; readonly query: string } => {
    const catalog = chooseCatalog(settings.catalogs, asked, request.headers["accept-language"])
    return {
      catalog,
      query: asked === undefined ? "" : `?lang=${encodeURIComponent(catalog.language)}`,
      frame: frameIn(catalog)
    }
  }

  const draw = (frame: Frame, screen: Screen, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
    pageAnswer(layout(frame, screen), status, { "content-language": frame.words.catalog.language, ...headers })

  const withCookie = (response: Response, name: string, value: string): Response =>
    HttpServerResponse.setCookieUnsafe(response, name, value, cookieOptions)

  /** Renders a page. If the browser lacks the cookie that forms need, sets it. */
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
    isSecure,
    hrefOf,
    frameOf,
    draw,
    drawIn,
    withCookie,
    seeOther,
    visited,

    /** Switches a visit, including the page's links, to another language. */
    inLanguage: (visit: Visited, language: string): Visited => ({ ...visit, ...frameOf(visit.request, language) }),

    queryOf,
    guardField: ({ link, visiting }: Visited): Effect.Effect<Html> => guard.field(visiting.visit, link),
    checkGuesses: (request: Request) => guesses.check(addressOf(request)),
    countGuess: (request: Request) => guesses.count(addressOf(request))
  }
})

export type PageKit = Effect.Success<typeof make>

const addressOf = ({ remoteAddress }: Request): string => Option.getOrElse(remoteAddress, () => "unknown")

/** Failures of a route, each of which becomes a page. */
export type PageFailed =
  | { readonly _tag: "ConsentLinkUnknown" }
  | { readonly _tag: "FormStale" }
  | AuthenticatorUnavailable
  | TooManyGuesses
  | StoreError
  | HttpServerError.HttpServerError

/** Failure of a form that the page cannot accept, for example because it comes from another site. */
export const formStale = { _tag: "FormStale" } as const

/**
 * Reads a form from a page that was served to this browser for this link. Fails with `FormStale` if the form is from
 * elsewhere, unreadable or too large.
 */
export const readPageForm = Effect.fnUntraced(function* (kit: PageKit, { link, request }: Visited) {
  const form = yield* Effect.mapError(readSentForm(request), () => formStale)
  return (yield* kit.guard.isGenuine(request, form.first(FormGuard.guardField), link))
    ? form
    : yield* Effect.fail(formStale)
})

/**
 * Creates a route from a visit handler. Every failure becomes a page in the person's language. The page for an invalid
 * link does not say why the link is invalid.
 */
export const answering =
  (kit: PageKit, answer: (visit: Visited) => Effect.Effect<Response, PageFailed>) =>
  (request: Request): Effect.Effect<Response, never, HttpRouter.RouteContext> =>
    Effect.gen(function* () {
      const token: Redacted.Redacted<string> = yield* linkToken
      return yield* answer(yield* kit.visited(request, token))
    }).pipe(
      // Checks the guess limit only after `ConsentLinkUnknown`, so a valid link works despite guesses from the
      // visitor's IP address.
      Effect.catchTag("ConsentLinkUnknown", (gone) =>
        Effect.andThen(kit.checkGuesses(request), Effect.andThen(kit.countGuess(request), Effect.fail(gone)))
      ),
      Effect.catchTags({
        ConsentLinkUnknown: () =>
          Effect.sync(() => {
            const { frame } = kit.frameOf(request)
            return kit.draw(frame, goneScreen(frame), 404)
          }),
        FormStale: () =>
          Effect.map(linkToken, (token) => {
            const { frame } = kit.frameOf(request)
            const here = pageTemplateOf(pathOf(request.originalUrl).slice(kit.settings.basePath.length))
            const known = [paths.manage, paths.sandboxKyc].find((path) => here?.startsWith(path))
            const page = known ?? paths.ask
            return kit.draw(frame, staleScreen(frame, kit.hrefOf(page, token)), 403)
          }),
        TooManyGuesses: ({ retryAfterSeconds }) =>
          Effect.sync(() => {
            const { frame } = kit.frameOf(request)
            return kit.draw(frame, tooManyScreen(frame, retryAfterSeconds), 429, {
              "retry-after": String(retryAfterSeconds)
            })
          })
      }),
      Effect.catchCause((cause) =>
        Effect.map(Effect.logError("Consent page failed", cause), () => {
          const { frame } = kit.frameOf(request)
          return kit.draw(frame, downScreen(frame), 503, { "retry-after": "30" })
        })
      )
    )
