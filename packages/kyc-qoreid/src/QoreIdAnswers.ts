import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycNotSubmitted, KycOutcomeUnknown } from "@surety/core/kyc/provider/KycProvider"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import { DateTime, Effect, Option } from "effect"
import * as Doubts from "./Doubts.js"
import { type AskedPerson, outcomeOfFrame } from "./outcomeOfFrame.js"
import { QoreIdConsent, QoreIdError, QoreIdFrame } from "./QoreIdFrame.js"

const decodeFrame = VendorAnswer.decode(QoreIdFrame)
const decodeConsent = VendorAnswer.decode(QoreIdConsent)
const decodeError = VendorAnswer.decode(QoreIdError)

const isSuccess = ({ status }: VendorAnswer.VendorAnswer): boolean => status >= 200 && status <= 299

const errorIn = (answer: VendorAnswer.VendorAnswer): QoreIdError | undefined =>
  Option.getOrUndefined(Option.filter(decodeError(answer), ({ statusCode }) => statusCode === answer.status))

/**
 * Returns true if the response shows that QoreID has no route for the request's method and path, so nothing was done.
 */
export const isNoSuchRoute = (answer: VendorAnswer.VendorAnswer): boolean => {
  if (answer.status === 405) return true
  const error = answer.status === 404 ? errorIn(answer) : undefined
  return error !== undefined && typeof error.message === "string" && Doubts.noSuchRoute.test(error.message)
}

/**
 * Reads an unsuccessful response.
 *
 * | status | result |
 * | --- | --- |
 * | 401, 402, 403, 429 | `KycNotSubmitted`: refused before any work |
 * | 404 with QoreID's error | `Failed`, `id_not_found` |
 * | 400 with QoreID's error | `Errored`, `request_refused`: the same request would be refused again |
 * | anything else, such as a 404 for an unknown path | `KycOutcomeUnknown` |
 */
const refused = (answer: VendorAnswer.VendorAnswer): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
  const refusal = VendorAnswer.refusal(answer.status)
  if (Option.isSome(refusal)) return Effect.fail(refusal.value)
  if (errorIn(answer) === undefined || isNoSuchRoute(answer)) return Effect.fail(VendorAnswer.unclear(answer))
  switch (answer.status) {
    case 404:
      return Effect.succeed({ _tag: "Failed", reason: "id_not_found", checks: {} })
    case 400:
      return Effect.succeed({ _tag: "Errored", reason: "request_refused" })
    default:
      return Effect.fail(VendorAnswer.unclear(answer))
  }
}

/** Reads the response to an identity check. Fails with `KycOutcomeUnknown` if a success response cannot be decoded. */
export const ofCheck = (
  answer: VendorAnswer.VendorAnswer,
  asked: AskedPerson
): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
  if (!isSuccess(answer)) return refused(answer)
  const frame = decodeFrame(answer)
  return Option.isSome(frame)
    ? Effect.succeed(outcomeOfFrame(frame.value, asked))
    : Effect.fail(VendorAnswer.unclear(answer))
}

/**
 * Reads a consent that has no result yet. Once the holder has consented, returns `Pending`. Before that, returns the
 * link, or `None` if the link is missing or not https. The response has no check id from QoreID, so our own `reference`
 * is used instead.
 */
const ofLink = (
  { consentStatus, consentUrl }: QoreIdConsent,
  reference: string,
  now: DateTime.Utc
): Option.Option<KycOutcome> => {
  if (consentStatus) return Option.some({ _tag: "Pending", providerReference: reference })
  if (consentUrl === undefined || consentUrl === null || !consentUrl.startsWith("https://")) return Option.none()
  const expiresAt = DateTime.addDuration(now, Doubts.consentTime)
  const nextAction = { type: "REDIRECT", url: consentUrl, expiresAt } as const
  return Option.some({ _tag: "RequiresAction", providerReference: reference, nextAction })
}

/**
 * Reads the response to a first or repeated request for the registry's consent link. Returns the link as the holder's
 * action. Once the holder has consented, returns the result, or `Pending` if there is no result yet.
 */
export const ofConsent = Effect.fnUntraced(function* (
  answer: VendorAnswer.VendorAnswer,
  asked: AskedPerson,
  reference: string
) {
  if (!isSuccess(answer)) return yield* refused(answer)
  const frame = decodeFrame(answer)
  if (Option.isSome(frame)) return outcomeOfFrame(frame.value, asked)
  const now = yield* DateTime.now
  const link = Option.flatMap(decodeConsent(answer), (consent) => ofLink(consent, reference, now))
  return Option.isSome(link) ? link.value : yield* Effect.fail(VendorAnswer.unclear(answer))
})
