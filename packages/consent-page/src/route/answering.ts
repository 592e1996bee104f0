import type { AuthenticatorUnavailable } from "@surety/core/consent/ConsumerAuthenticator"
import type { TooManyGuesses } from "@surety/core/consent/LinkGuessLimit"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, type Redacted } from "effect"
import type { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { downScreen, goneScreen, staleScreen, tooManyScreen } from "../screen/MessageScreens.js"
import { linkToken } from "./linkToken.js"
import type { PageKit, Visited } from "./PageKit.js"

type Response = HttpServerResponse.HttpServerResponse

/** What a route may fail with: each becomes a page. */
export type PageFailed =
  | { readonly _tag: "ConsentLinkUnknown" }
  | { readonly _tag: "FormStale" }
  | AuthenticatorUnavailable
  | TooManyGuesses
  | StoreError
  | HttpServerError.HttpServerError

/** A form that was not sent from a page of ours to this browser. */
export const formStale = { _tag: "FormStale" } as const

/**
 * Makes a route of what answers a visit. Whatever happens the person sees a page in their own words, and nobody who has
 * no link learns why.
 */
export const answering =
  (kit: PageKit, answer: (visit: Visited) => Effect.Effect<Response, PageFailed>) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response, never, HttpRouter.RouteContext> =>
    Effect.gen(function* () {
      const token: Redacted.Redacted<string> = yield* linkToken
      return yield* answer(yield* kit.visited(request, token))
    }).pipe(
      // Whoever has a link is let in, however often others behind the same address have guessed.
      Effect.catchTag("ConsentLinkUnknown", (gone) =>
        Effect.andThen(kit.checkGuesses(request), Effect.andThen(kit.countGuess(request), Effect.fail(gone)))
      ),
      Effect.catchTags({
        ConsentLinkUnknown: () =>
          Effect.sync(() => {
            const { frame } = kit.frameOf(request)
            return kit.draw({ ...frame, languages: [] }, goneScreen(frame), 404)
          }),
        FormStale: () =>
          Effect.map(linkToken, (token) => {
            const { frame } = kit.frameOf(request)
            const page = request.originalUrl.slice(kit.settings.basePath.length).startsWith("/consents/")
              ? "/consents/:token"
              : "/consent/:token"
            return kit.draw(frame, staleScreen(frame, kit.hrefOf(page, token)), 403)
          }),
        TooManyGuesses: ({ retryAfterSeconds }) =>
          Effect.sync(() => {
            const { frame } = kit.frameOf(request)
            return kit.draw({ ...frame, languages: [] }, tooManyScreen(frame, retryAfterSeconds), 429, {
              "retry-after": String(retryAfterSeconds)
            })
          })
      }),
      Effect.catchCause((cause) =>
        Effect.map(Effect.logError("A consent page could not be shown", cause), () => {
          const { frame } = kit.frameOf(request)
          return kit.draw({ ...frame, languages: [] }, downScreen(frame), 503, { "retry-after": "30" })
        })
      )
    )
