import { Keyring } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { HttpServerRequest } from "effect/http"
import { type Html, html } from "../Html.js"

/**
 * Returns the name of a cookie. With the prefix `__Host-`, used under https, browsers accept a cookie only from this
 * exact host (RFC 6265bis, 4.1.3.2). No other host under the same domain can then replace the cookie with its own.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** Name of the form field that contains the token. The token must be for the visit and the form's subject. */
export const guardField = "guard"

const visitForm = /^[A-Za-z0-9_-]{43}$/u

/** A browser's visit: the random value of its cookie. */
export interface Visiting {
  readonly visit: string
  /** True if the browser still needs the cookie. */
  readonly isNew: boolean
}

/** Accepted values of `Sec-Fetch-Site`. For browsers that do not send it, the token suffices. */
const maySend = new Set([undefined, "same-origin", "none"])

/** Settings of a form guard. `cookie` and `purpose` separate the forms of one package's pages from another's. */
export interface GuardSettings {
  /** Name of a visit's session cookie. The cookie identifies no person, and ends with the browser session. */
  readonly cookie: string
  /** Input to every form's token. A form's token is invalid under another `purpose`. */
  readonly purpose: string
  /** True if browsers reach the pages over https. */
  readonly isSecure: boolean
}

/**
 * Creates a guard that prevents other sites from submitting our forms, with a signed double-submit cookie. A form
 * contains a keyed hash of the purpose, the form's subject and the visit. The visit is the cookie's random value, or a
 * value from the caller. The guard rejects a hash for another visit or subject. It also rejects a form that
 * `Sec-Fetch-Site` attributes to another origin. Needs no script.
 */
export const make = Effect.fnUntraced(function* ({ cookie, isSecure, purpose }: GuardSettings) {
  const visitCookie = cookieName(cookie, isSecure)
  const keyring = yield* Keyring
  const random = yield* SecureRandom.SecureRandom

  const tokensOf = (visit: string, subject: string) => keyring.fingerprints(JSON.stringify([purpose, visit, subject]))

  const visitOf = ({ cookies }: HttpServerRequest.HttpServerRequest): string | undefined => {
    const sent = cookies[visitCookie]
    return sent !== undefined && visitForm.test(sent) ? sent : undefined
  }

  /** Returns true if the token `sent` is for this visit and subject, and `Sec-Fetch-Site` names no other origin. */
  const isOfVisit = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    visit: string,
    sent: string | undefined,
    subject: string
  ) {
    if (sent === undefined || !maySend.has(request.headers["sec-fetch-site"])) return false
    const tokens = yield* tokensOf(visit, subject)
    return tokens.some((token) => sameText(token, sent))
  })

  return {
    visitCookie,
    isOfVisit,

    visiting: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const visit = visitOf(request)
      const visiting: Visiting = {
        visit: visit ?? Base64Url.encode(yield* random.randomBytes(32)),
        isNew: visit === undefined
      }
      return visiting
    }),

    field: (visit: string, subject: string): Effect.Effect<Html> =>
      Effect.map(
        tokensOf(visit, subject),
        ([token]) => html`<input type="hidden" name="${guardField}" value="${token}">`
      ),

    /** Like `isOfVisit`, for the visit in the request's cookie. False if the request has no such cookie. */
    isGenuine: (request: HttpServerRequest.HttpServerRequest, sent: string | undefined, subject: string) => {
      const visit = visitOf(request)
      return visit === undefined ? Effect.succeed(false) : isOfVisit(request, visit, sent, subject)
    }
  }
})

export type FormGuard = Effect.Success<ReturnType<typeof make>>
