import { madeAtMillis, type VerificationId } from "@surety/core/Ids"
import { answeredLocally, notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycQuery,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import * as HolderMemory from "@surety/kyc-http/HolderMemory"
import type { VendorAnswer } from "@surety/kyc-http/VendorAnswer"
import * as VendorFailure from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import { Clock, Duration, Effect, Layer, Option, Redacted, Ref, type Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Doubts from "./Doubts.js"
import type { AskedPerson } from "./outcomeOfFrame.js"
import * as QoreIdAnswers from "./QoreIdAnswers.js"
import * as QoreIdCallback from "./QoreIdCallback.js"
import * as QoreIdTokens from "./QoreIdTokens.js"

/** The provider's name in `KYC_ROUTES`, in records, and in its callback url. */
export const name = "qoreid"

/** QoreID's base url, in both Test and Live mode. The credentials decide which mode applies. */
export const liveUrl = "https://api.qoreid.com"

export interface QoreIdSettings {
  readonly clientId: string
  readonly secret: Redacted.Redacted<string>
  /** The webhook's own secret, with which QoreID signs webhooks. */
  readonly webhookSecret: Redacted.Redacted<string>
  /** Default: `liveUrl`. */
  readonly url?: string
}

/**
 * QoreID's identity requests do not accept our reference, and QoreID offers no lookup of a check. A BVN's consent is
 * looked up by requesting its link again, in the process that has the number in memory. The kind `phone` is omitted,
 * because QoreID does not document it.
 */
export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin", "vnin", "nin_phone"],
  lookup: "own_reference",
  recognisesRepeats: false,
  callback: "authenticated"
}

const consentRoute = "/v1/ng/identities/bvn-consent/{number}"

const routes = {
  nin: "/v1/ng/identities/nin/{number}",
  vnin: "/v1/ng/identities/virtual-nin/{number}",
  nin_phone: "/v1/ng/identities/nin-phone/{number}"
} as const

/** A submitted BVN that awaits its holder's consent or, after the consent, QoreID's result. */
interface Waiting {
  readonly outcome: KycOutcome
  readonly asked: AskedPerson
}

/**
 * How long a waiting BVN stays in memory. Longer than the consent time, because the consent is checked once more when
 * that time ends.
 */
const rememberedFor = Duration.sum(Doubts.consentTime, Duration.minutes(15))

/**
 * How long an outcome other than a waiting BVN's stays in memory for lookups. A lookup never requests it again, because
 * QoreID could charge for the request.
 */
const endedFor = Duration.minutes(5)

/**
 * Returns the outcome of a verification that this process does not have in memory. A BVN that awaited consent is
 * `action_expired` once `rememberedFor` has passed since the verification's creation, even if its holder has consented.
 * `None` otherwise: another process may hold the number, and the webhook ends a check that waits for a registry.
 */
const unseen = ({ providerReference, reference }: KycQuery, nowMillis: number): Option.Option<KycOutcome> => {
  const isOver = nowMillis >= madeAtMillis(reference) + Duration.toMillis(rememberedFor)
  return providerReference === reference && isOver
    ? Option.some({ _tag: "Failed", providerReference, reason: "action_expired", checks: {} })
    : Option.none()
}

const hasLetter = /\p{L}/u

/**
 * Returns a submission's number, names and date of birth, without the selfie. Undefined unless both names contain a
 * letter. QoreID requires names for a check. A BVN needs them too, since QoreID identifies a consent only by number.
 * Without names to compare, a consent given for another verification could verify an impostor.
 */
const askedOf = ({ id, kind, validation }: KycSubmission): AskedPerson | undefined => {
  const { dateOfBirth, firstName, lastName } = validation
  if (firstName === undefined || lastName === undefined) return undefined
  if (![firstName, lastName].every((each) => hasLetter.test(Redacted.value(each)))) return undefined
  return { kind, id, validation: { firstName, lastName, ...(dateOfBirth === undefined ? {} : { dateOfBirth }) } }
}

const namesRequired: KycOutcome = { _tag: "Errored", reason: "names_required" }

/** Builds the request body of a check. Omits the selfie, because QoreID does not document how to send it. */
const personBody = ({ validation: { dateOfBirth, firstName, lastName } }: AskedPerson): Schema.Json => ({
  ...(firstName === undefined ? {} : { firstname: Redacted.value(firstName) }),
  ...(lastName === undefined ? {} : { lastname: Redacted.value(lastName) }),
  ...(dateOfBirth === undefined ? {} : { dob: Redacted.value(dateOfBirth) })
})

const isAwaitingConsent = ({ _tag }: KycOutcome): boolean => _tag === "RequiresAction" || _tag === "Pending"

/**
 * True if QoreID refused a repeated consent request with 400 or 404. Whether it accepts repeats while the consent is
 * pending is undocumented, so such a refusal must not change the outcome.
 */
const isRefused = (outcome: KycOutcome): boolean =>
  outcome._tag === "Errored" || (outcome._tag === "Failed" && outcome.reason === "id_not_found")

/** How long a request waits for a token. Includes the time in the queue, because tokens are requested one at a time. */
const tokenPatience = Duration.seconds(4)

const noTokenInTime = new QoreIdTokens.NoToken({ reason: "timed_out" })

/**
 * Builds a function that sends requests with a token. After a 401 it retries once with a new token, because QoreID
 * refuses a bad token before any work.
 */
const makeAuthorised = Effect.fnUntraced(function* (settings: QoreIdSettings) {
  const { clientId, secret, url = liveUrl } = settings
  const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
  const tokens = yield* QoreIdTokens.make(http, { clientId, secret })
  const token = Effect.timeoutOrElse(tokens.current, {
    duration: tokenPatience,
    orElse: () => Effect.fail(noTokenInTime)
  })
  const callWith = (call: VendorHttp.VendorCall, given: Redacted.Redacted<string>) => {
    const authorization = Redacted.make(`Bearer ${Redacted.value(given)}`)
    return http.call({ ...call, headers: { ...call.headers, authorization } })
  }
  return Effect.fnUntraced(function* (call: VendorHttp.VendorCall) {
    const first = yield* token
    const answer = yield* callWith(call, first)
    if (answer.status !== 401) return answer
    yield* tokens.drop(first)
    return yield* callWith(call, yield* token)
  })
})

type Authorised = (
  call: VendorHttp.VendorCall
) => Effect.Effect<VendorAnswer, QoreIdTokens.NoToken | VendorFailure.VendorFailure>

const failedSubmission = (error: QoreIdTokens.NoToken | VendorFailure.VendorFailure) =>
  error._tag === "NoToken" ? new KycNotSubmitted({ reason: error.reason }) : VendorFailure.submitFailure(error)

/**
 * Builds a function that requests the registry's consent link for a BVN. The function remembers which HTTP method
 * QoreID accepts.
 */
const makeConsent = Effect.fnUntraced(function* (authorised: Authorised) {
  const [usual, other] = Doubts.consentMethods
  const known = yield* Ref.make<VendorHttp.VendorCall["method"]>(usual)
  const ask = (method: VendorHttp.VendorCall["method"], number: Redacted.Redacted<string>) =>
    authorised({ method, route: consentRoute, values: { number } })
  return Effect.fnUntraced(function* (number: Redacted.Redacted<string>) {
    const method = yield* Ref.get(known)
    const answer = yield* ask(method, number)
    if (!QoreIdAnswers.isNoSuchRoute(answer)) return answer
    const next = method === usual ? other : usual
    const again = yield* ask(next, number)
    if (!QoreIdAnswers.isNoSuchRoute(again)) yield* Ref.set(known, next)
    return again
  })
})

/** Creates the provider on top of an HTTP client. */
export const make = Effect.fnUntraced(function* (settings: QoreIdSettings) {
  const authorised = yield* makeAuthorised(settings)
  const consent = yield* makeConsent(authorised)
  const waiting = yield* HolderMemory.make<Waiting>(rememberedFor)
  const ended = yield* HolderMemory.make<KycOutcome>(endedFor)
  const callback = yield* QoreIdCallback.make(settings.webhookSecret)

  const askConsent = Effect.fnUntraced(function* (asked: AskedPerson, reference: string) {
    const answer = yield* Effect.mapError(consent(asked.id), failedSubmission)
    return yield* QoreIdAnswers.ofConsent(answer, asked, reference)
  })

  const remember = (reference: VerificationId, outcome: KycOutcome, asked: AskedPerson) =>
    isAwaitingConsent(outcome)
      ? waiting.keep(reference, { outcome, asked })
      : Effect.andThen(waiting.forget(reference), ended.keep(reference, outcome))

  const submitBvn = Effect.fnUntraced(function* ({ reference }: KycSubmission, asked: AskedPerson) {
    const outcome = yield* askConsent(asked, reference)
    yield* remember(reference, outcome, asked)
    return outcome
  })

  const submitPerson = Effect.fnUntraced(function* (
    { id, reference }: KycSubmission,
    asked: AskedPerson,
    kind: keyof typeof routes
  ) {
    const call = { method: "POST", route: routes[kind], values: { number: id } } as const
    const answer = yield* Effect.mapError(
      authorised({ ...call, body: Redacted.make(personBody(asked)) }),
      failedSubmission
    )
    const outcome = yield* QoreIdAnswers.ofCheck(answer, asked)
    yield* ended.keep(reference, outcome)
    return outcome
  })

  const submit = (submission: KycSubmission): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
    const { kind } = submission
    if (kind === "phone") return notSubmittedLocally("kind_not_supported")
    const asked = askedOf(submission)
    if (asked === undefined) return answeredLocally(Effect.succeed(namesRequired))
    return kind === "bvn" ? submitBvn(submission, asked) : submitPerson(submission, asked, kind)
  }

  const lookup = Effect.fnUntraced(function* (query: KycQuery) {
    const { reference } = query
    const found = yield* waiting.find(reference)
    if (Option.isNone(found)) {
      const end = yield* ended.find(reference)
      const known = Option.isSome(end) ? end : unseen(query, yield* Clock.currentTimeMillis)
      return yield* answeredLocally(Effect.succeed(known))
    }
    const { asked, outcome: before } = found.value
    const outcome = yield* Effect.mapError(
      askConsent(asked, reference),
      ({ reason }) => new KycOutcomeUnknown({ reason })
    )
    // Neither a refusal nor a second link replaces the earlier outcome.
    const isNoNews = isRefused(outcome) || (outcome._tag === "RequiresAction" && before._tag === "RequiresAction")
    if (isNoNews) return Option.some(before)
    yield* remember(reference, outcome, asked)
    return Option.some(outcome)
  })

  return KycProvider.of({
    name,
    capabilities,
    submit,
    lookup,
    submitCode: () => notSubmittedLocally("code_not_supported"),
    callback
  })
})

/** Provides QoreID as a KYC provider for LIVE. */
export const layer = (settings: QoreIdSettings): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, make(settings)).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * Returns whether QoreID issues a token for the client id and secret, or `None` if that cannot be determined.
 * Requesting a token is free. The webhook secret is not checked.
 */
export const acceptsCredentials = ({
  clientId,
  secret,
  url = liveUrl
}: QoreIdSettings): Effect.Effect<Option.Option<boolean>> =>
  Effect.gen(function* () {
    const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
    const tokens = yield* QoreIdTokens.make(http, { clientId, secret })
    return yield* Effect.as(tokens.current, Option.some(true))
  }).pipe(
    Effect.catch(({ reason }) => Effect.succeed(reason === "credentials_refused" ? Option.some(false) : Option.none())),
    Effect.provide(FetchHttpClient.layer)
  )
