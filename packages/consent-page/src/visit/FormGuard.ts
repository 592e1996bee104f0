import type { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { Keyring } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { HttpServerRequest } from "effect/http"
import { type Html, html } from "../Html.js"
import { cookieName } from "./cookieName.js"

/** The session cookie of a visit. It identifies no person, and ends with the browser's session. */
const plainName = "consent_visit"

/** The form's field that must match the cookie and the link. */
export const guardField = "guard"

const visitForm = /^[A-Za-z0-9_-]{43}$/u

/** One browser's visit. */
export interface Visiting {
  readonly visit: string
  /** Whether the browser still needs the cookie. */
  readonly isNew: boolean
}

/** Rejected origins (the Fetch standard's metadata); for browsers that send none the token suffices. */
const mayDecide = new Set([undefined, "same-origin", "none"])

/**
 * Prevents other sites from sending our forms: a signed double submit. A form carries a keyed hash of the link and of a
 * random cookie, so it is valid only from a page that we sent to that browser for that link. No script is needed.
 */
export const make = Effect.fnUntraced(function* (isSecure: boolean) {
  const visitCookie = cookieName(plainName, isSecure)
  const keyring = yield* Keyring
  const random = yield* SecureRandom.SecureRandom

  const tokensOf = (visit: string, link: ConsentTokenHash) =>
    keyring.fingerprints(JSON.stringify(["consent-page.form", visit, link]))

  const visitOf = ({ cookies }: HttpServerRequest.HttpServerRequest): string | undefined => {
    const cookie = cookies[visitCookie]
    return cookie !== undefined && visitForm.test(cookie) ? cookie : undefined
  }

  return {
    visitCookie,

    /** The visit that the request belongs to, or a new one. */
    visiting: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const visit = visitOf(request)
      const visiting: Visiting = {
        visit: visit ?? Base64Url.encode(yield* random.randomBytes(32)),
        isNew: visit === undefined
      }
      return visiting
    }),

    /** The hidden field of a form about this link. */
    field: (visit: string, link: ConsentTokenHash): Effect.Effect<Html> =>
      Effect.map(tokensOf(visit, link), ([token]) => html`<input type="hidden" name="${guardField}" value="${token}">`),

    /** Whether a form about this link was sent from a page that this browser got. */
    isGenuine: Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      sent: string | undefined,
      link: ConsentTokenHash
    ) {
      const visit = visitOf(request)
      if (visit === undefined || sent === undefined) return false
      if (!mayDecide.has(request.headers["sec-fetch-site"])) return false
      const tokens = yield* tokensOf(visit, link)
      return tokens.some((token) => sameText(token, sent))
    })
  }
})

export type FormGuard = Effect.Success<ReturnType<typeof make>>
