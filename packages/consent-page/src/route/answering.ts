import type { AuthenticatorUnavailable } from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { TooManyGuesses } from "@surety/core/consent/admission/LinkGuessLimit"
import { pathOf } from "@surety/core/PlainPath"
import type { StoreError } from "@surety/core/StoreError"
import { guardField } from "@surety/page-kit/form/FormGuard"
import { readSentForm } from "@surety/page-kit/form/SentForm"
import { Effect, type Redacted } from "effect"
import type { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { downScreen, goneScreen, staleScreen, tooManyScreen } from "../screen/MessageScreens.js"
import type { PageKit, Visited } from "./PageKit.js"
import { linkToken, pageTemplateOf, paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

/** A route's failures: each becomes a page. */
export type PageFailed =
  | { readonly _tag: "ConsentLinkUnknown" }
  | { readonly _tag: "FormStale" }
  | AuthenticatorUnavailable
  | TooManyGuesses
  | StoreError
  | HttpServerError.HttpServerError

/** A form that does not come from a page that we sent to this browser. */
export const formStale = { _tag: "FormStale" } as const

/** Reads a form, and fails unless it comes from a page that this browser got for this link. */
export const readPageForm = Effect.fnUntraced(function* (kit: PageKit, { link, request }: Visited) {
  const form = yield* Effect.mapError(readSentForm(request), () => formStale)
  return (yield* kit.guard.isGenuine(request, form.first(guardField), link)) ? form : yield* Effect.fail(formStale)
})

/**
 * Creates a route from a visit's handler. Every failure becomes a page in the person's language, which reveals no reason
 * to visitors without a link.
 */
export const answering =
  (kit: PageKit, answer: (visit: Visited) => Effect.Effect<Response, PageFailed>) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response, never, HttpRouter.RouteContext> =>
    Effect.gen(function* () {
      const token: Redacted.Redacted<string> = yield* linkToken
      return yield* answer(yield* kit.visited(request, token))
    }).pipe(
      // A valid link is admitted regardless of guesses from the same address.
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
        Effect.map(Effect.logError("A consent page could not be shown", cause), () => {
          const { frame } = kit.frameOf(request)
          return kit.draw(frame, downScreen(frame), 503, { "retry-after": "30" })
        })
      )
    )
