import { cookieName } from "@surety/page-kit/form/FormGuard"
import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { consolePaths, safeNext } from "../ConsolePaths.js"
import { type ConsoleKit, queryOf } from "../serve/ConsoleKit.js"
import { originOf } from "../serve/SignInRoutes.js"
import { oidcFailedScreen, signedInScreen } from "../sign/signInScreens.js"
import * as OidcClient from "./OidcClient.js"

type Request = HttpServerRequest.HttpServerRequest

const Pending = Schema.fromJsonString(OidcClient.PendingSignIn)
const encodePending = Schema.encodeSync(Pending)
const decodePending = Schema.decodeOption(Pending)

const pendingOf = (cookie: string | undefined): Option.Option<OidcClient.PendingSignIn> => {
  const text = Base64Url.decodeString(cookie ?? "")
  return cookie === undefined || Result.isFailure(text) ? Option.none() : decodePending(text.success)
}

/**
 * Adds sign-in at an identity provider, if the settings name one: the redirect to the provider and the callback. The
 * pending sign-in's cookie is `Lax`, because the provider's redirect comes from another site. The cookie alone grants
 * no access.
 */
export const addOidcRoutes = Effect.fnUntraced(function* (kit: ConsoleKit) {
  const { oidc } = kit.settings.signIn
  if (oidc === undefined) return
  const router = yield* HttpRouter.HttpRouter
  const client = yield* OidcClient.make(oidc, kit.settings.publicUrl + consolePaths.oidcBack)
  const name = cookieName("console_oidc", kit.isSecure)
  const cookieOptions = {
    httpOnly: true,
    secure: kit.isSecure,
    sameSite: "lax",
    path: "/",
    maxAge: "10 minutes"
  } as const

  const failed = ({ reason, step }: OidcClient.OidcFailed) =>
    Effect.as(
      Effect.logWarning("Console sign-in at the identity provider failed", { step, reason }),
      kit.solo(oidcFailedScreen(kit.hrefOf(consolePaths.signIn)), 403)
    )

  yield* router.add("GET", consolePaths.oidc, (request: Request) =>
    Effect.gen(function* () {
      const { pending, url } = yield* client.begin(safeNext(queryOf(request).get("next") ?? undefined))
      const value = Base64Url.encode(encodePending(pending))
      const away = HttpServerResponse.setHeader(kit.seeOther(""), "location", url)
      return HttpServerResponse.setCookieUnsafe(away, name, value, cookieOptions)
    }).pipe(Effect.catchTag("OidcFailed", failed))
  )

  yield* router.add("GET", consolePaths.oidcBack, (request: Request) =>
    Effect.gen(function* () {
      const pending = pendingOf(request.cookies[name])
      if (Option.isNone(pending)) {
        return yield* new OidcClient.OidcFailed({ step: "back", reason: "not begun in this browser" })
      }
      const { operator, roles } = yield* client.complete(`?${queryOf(request)}`, pending.value)
      const { token } = yield* kit.sessions.open({ operator, roles, signedInBy: "OIDC", ...originOf(request) })
      // Redirects through our own page, because browsers omit the session's cookie from a redirect that began at
      // another site.
      const href = kit.hrefOf(safeNext(pending.value.next))
      return kit.withSession(kit.solo(signedInScreen(href), 200, { refresh: `0; url=${href}` }), token)
    }).pipe(
      Effect.catchTag("OidcFailed", failed),
      Effect.catchCause((cause) =>
        Effect.flatMap(Effect.logError("Console sign-in failed", cause), () =>
          failed(new OidcClient.OidcFailed({ step: "session", reason: "not stored" }))
        )
      ),
      // Expires the sign-in's cookie, whether the sign-in succeeded or failed, since it is no longer pending.
      Effect.map((response) => HttpServerResponse.expireCookieUnsafe(response, name, cookieOptions))
    )
  )
})
