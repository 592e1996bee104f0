import { Keyring } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { HttpServerRequest } from "effect/http"
import { type Html, html } from "../Html.js"

/**
 * The name of our cookies under https: browsers accept a name with this prefix only from this very
 * host (RFC 6265bis, 4.1.3.2), so no neighbour under the same domain can replace a person's visit with its own.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** The form's field that must match the cookie and the form's subject. */
export const guardField = "guard"

const visitForm = /^[A-Za-z0-9_-]{43}$/u

/** One browser's visit. */
export interface Visiting {
  readonly visit: string
  /** Whether the browser still needs the cookie. */
  readonly isNew: boolean
}

/** Rejected origins (the Fetch standard's metadata); for browsers that send none the token suffices. */
const maySend = new Set([undefined, "same-origin", "none"])

/** Distinguishes one room's forms from another's. */
export interface GuardSettings {
  /** The name of the session cookie of a visit. It identifies no person, and ends with the browser's session. */
  readonly cookie: string
  /** Part of every form's token, so that a form of one room is invalid in another. */
  readonly purpose: string
  /** Whether browsers reach the pages by https. */
  readonly isSecure: boolean
}

/**
 * Prevents other sites from sending our forms: a signed double submit. A form carries a keyed hash of its subject and of
 * a random cookie, so it is valid only from a page that we sent to that browser about that subject. No script is needed.
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

  /** Whether a form about this subject was sent from a page that this visit's browser got. */
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

    /** The visit that the request belongs to, or a new one. */
    visiting: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const visit = visitOf(request)
      const visiting: Visiting = {
        visit: visit ?? Base64Url.encode(yield* random.randomBytes(32)),
        isNew: visit === undefined
      }
      return visiting
    }),

    /** The hidden field of a form about this subject. */
    field: (visit: string, subject: string): Effect.Effect<Html> =>
      Effect.map(
        tokensOf(visit, subject),
        ([token]) => html`<input type="hidden" name="${guardField}" value="${token}">`
      ),

    /** `isOfVisit` for the visit in the request's cookie. */
    isGenuine: (request: HttpServerRequest.HttpServerRequest, sent: string | undefined, subject: string) => {
      const visit = visitOf(request)
      return visit === undefined ? Effect.succeed(false) : isOfVisit(request, visit, sent, subject)
    }
  }
})

export type FormGuard = Effect.Success<ReturnType<typeof make>>
