import { isSameOperator } from "@surety/core/operator/approval/Proposal"
import { OperatorName, type OperatorRole, soleOperator } from "@surety/core/operator/Operator"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import * as HashedAssets from "@surety/page-kit/asset/HashedAssets"
import * as FormGuard from "@surety/page-kit/form/FormGuard"
import { pageAnswer, privateHeaders, seeOther } from "@surety/page-kit/PageAnswers"
import { plainText } from "@surety/page-kit/shownText"
import * as ZonedTimes from "@surety/page-kit/words/ZonedTimes"
import { Effect, Option, Redacted, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { consolePaths } from "../ConsolePaths.js"
import { ConsoleSettings, type HostOperator } from "../ConsoleSettings.js"
import { consoleIcon, consoleStylesheet } from "../look/stylesheet.js"
import type { AnsweredFile, PageScreen } from "../page/ConsolePage.js"
import { type ConsoleFrame, soloLayout } from "../screen/Layout.js"
import * as Drafts from "./Drafts.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Name of the session cookie. Under https it has the prefix `__Host-`. */
const sessionName = "console_session"

/** Form of a session token: 32 random bytes in base64url. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/u

/** Returns the query of a request's url as sent, including the question mark, or an empty string. */
export const searchOf = ({ url }: Request): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at)
}

export const queryOf = (request: Request): URLSearchParams => new URLSearchParams(searchOf(request))

/** Builds a file download. The browser neither displays the file in the console's own origin nor caches it. */
export const fileAnswer = ({ name, text, type }: AnsweredFile): Response =>
  HttpServerResponse.text(text, {
    contentType: `${type}; charset=utf-8`,
    headers: {
      ...privateHeaders,
      "content-disposition": `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/gu, "_")}"`
    }
  })

const isName = Schema.is(OperatorName)

/** Builds the parts shared by all console routes: settings, sessions, form guard, drafts, page frame and cookies. */
export const make = Effect.gen(function* () {
  const settings = yield* ConsoleSettings
  const sessions = yield* OperatorSessions
  const publicPath = new URL(settings.publicUrl).pathname.replace(/\/+$/u, "")
  const isSecure = new URL(settings.publicUrl).protocol === "https:"
  const guard = yield* FormGuard.make({ cookie: "console_visit", purpose: "console.form", isSecure })
  const drafts = yield* Drafts.make(isSecure)
  const sessionCookie = FormGuard.cookieName(sessionName, isSecure)
  // Strict: browsers omit these cookies from cross-site requests.
  const cookieOptions = { httpOnly: true, secure: isSecure, sameSite: "strict", path: "/" } as const

  const hrefOf = (path: string): string => publicPath + path

  const assets = yield* HashedAssets.make((file) => hrefOf(consolePaths.asset.replace(":file", file)))
  const utf8 = new TextEncoder()
  const frame: ConsoleFrame = {
    platform: plainText(settings.platform, 60),
    hrefOf,
    assets: {
      style: yield* assets.add("console", "text/css", utf8.encode(consoleStylesheet(settings.theme))),
      icon: yield* assets.add("icon", "image/svg+xml", utf8.encode(consoleIcon(settings.theme)))
    }
  }

  const withCookie = (response: Response, name: string, value: string): Response =>
    HttpServerResponse.setCookieUnsafe(response, name, value, cookieOptions)

  /**
   * Finds the operator named by the host's own session, if any. Returns `undefined` for an operator without roles or
   * with an invalid name. Also returns `undefined` for the reserved name `soleOperator.name`.
   */
  const hostOperator = Effect.fnUntraced(function* (request: Request) {
    const found: HostOperator | undefined = yield* settings.signIn.byHost?.(request) ?? Effect.succeed(undefined)
    const isOperator =
      found !== undefined &&
      found.roles.length > 0 &&
      isName(found.name) &&
      !isSameOperator(found.name, soleOperator.name)
    return isOperator ? found : undefined
  })

  const oidcRoles = new Set(Object.values(settings.signIn.oidc?.roles ?? {}))

  /**
   * Returns the session's roles that are still valid. If the host signs the operator in, these are the host's current
   * roles. Empty if the settings or the host no longer admit the operator.
   */
  const rolesNow = Effect.fnUntraced(function* (request: Request, { operator, roles, signedInBy }: OperatorSession) {
    const none: ReadonlyArray<OperatorRole> = []
    if (signedInBy === "TOKEN") return settings.signIn.byToken ? roles : none
    if (signedInBy === "OIDC") return roles.filter((role) => oidcRoles.has(role))
    const found = yield* hostOperator(request)
    return found?.name === operator ? found.roles : none
  })

  /** Finds the active session for the request's cookie, with the roles from `rolesNow`. `None` if no role is left. */
  const sessionOf = Effect.fnUntraced(function* (request: Request) {
    const sent = request.cookies[sessionCookie]
    if (sent === undefined || !tokenForm.test(sent)) return Option.none<OperatorSession>()
    const session = yield* sessions.use(Redacted.make(sent, { label: "session token" }))
    if (Option.isNone(session)) return session
    const roles = yield* rolesNow(request, session.value)
    return roles.length === 0 ? Option.none<OperatorSession>() : Option.some({ ...session.value, roles })
  })

  return {
    settings,
    sessions,
    guard,
    drafts,
    frame,
    hrefOf,
    isSecure,
    hostOperator,
    sessionOf,
    withCookie,
    seeOther: (path: string) => seeOther(hrefOf(path)),
    asset: assets.answer,
    times: ZonedTimes.make(settings.timeZone),

    /** Renders a page that belongs to no environment. */
    solo: (screen: PageScreen, status = 200, headers: Readonly<Record<string, string>> = {}) =>
      pageAnswer(soloLayout(frame, screen), status, { "content-language": "en", ...headers }),

    /** Sets the session cookie. Each sign-in has a new token, which prevents session fixation. */
    withSession: (response: Response, token: Redacted.Redacted<string>) =>
      withCookie(response, sessionCookie, Redacted.value(token)),

    /** Sets the draft cookie, which expires after `drafts.maxAge`. */
    withDraft: (response: Response, draft: string) =>
      HttpServerResponse.setCookieUnsafe(response, drafts.cookie, draft, { ...cookieOptions, maxAge: drafts.maxAge }),

    withoutDraft: (response: Response) => HttpServerResponse.expireCookieUnsafe(response, drafts.cookie, cookieOptions),

    withoutSession: (response: Response) =>
      HttpServerResponse.expireCookieUnsafe(response, sessionCookie, cookieOptions)
  }
})

export type ConsoleKit = Effect.Success<typeof make>
