import { notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  type KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycQuery,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import * as HolderMemory from "@surety/kyc-http/HolderMemory"
import * as VendorFailure from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import { DateTime, Duration, Effect, Layer, Option, Redacted, type Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Doubts from "./Doubts.js"
import * as MonoAnswers from "./MonoAnswers.js"

/** The provider's name in `KYC_ROUTES` and in records. */
export const name = "mono"

/** Mono's url for both test and live. The secret key decides which applies. */
export const liveUrl = "https://api.withmono.com"

export interface MonoSettings {
  readonly secretKey: Redacted.Redacted<string>
  /** Default: `liveUrl`. */
  readonly url?: string
}

/**
 * Mono's identity requests do not accept our reference, and a repeated request is charged again. Mono sends no
 * callback: each result arrives in a response. For a BVN, that is the response to the holder's code. Mono supports
 * neither virtual NINs nor phone numbers.
 */
export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin"],
  lookup: "none",
  recognisesRepeats: false,
  callback: "none"
}

/** A submitted BVN that awaits its holder's code. */
interface Waiting {
  readonly asked: MonoAnswers.Asked
  readonly channel: (typeof Doubts.channels)[number]
}

/** Timeout of each of the two requests that submit a BVN. Twice this time must stay below core's `providerTimeout`. */
const stepTimeout = Duration.millis(4_500)

const askedOf = ({ id, validation: { dateOfBirth, firstName, lastName } }: KycSubmission): MonoAnswers.Asked => ({
  id,
  validation: {
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName })
  }
})

const codeAction = (session: string, channel: Waiting["channel"]): Effect.Effect<KycOutcome> =>
  Effect.map(
    DateTime.now,
    (now): KycOutcome => ({
      _tag: "RequiresAction",
      providerReference: session,
      nextAction: {
        type: "CODE",
        channels: [channel],
        expiresAt: DateTime.addDuration(now, Doubts.codeTime)
      }
    })
  )

const makeCall = Effect.fnUntraced(function* (settings: MonoSettings, timeout?: Duration.Duration) {
  const { secretKey, url = liveUrl } = settings
  const http = yield* VendorHttp.make({ vendor: name, baseUrl: url, ...(timeout === undefined ? {} : { timeout }) })
  return (route: string, body: Redacted.Redacted<Schema.Json>, session?: string) =>
    http.call({
      method: "POST",
      route,
      body,
      headers: { "mono-sec-key": secretKey, ...(session === undefined ? {} : { "x-session-id": session }) }
    })
})

/** Creates the provider on top of an HTTP client. */
export const make = Effect.fnUntraced(function* (settings: MonoSettings) {
  const call = yield* makeCall(settings)
  const step = yield* makeCall(settings, stepTimeout)
  const memory = yield* HolderMemory.make<Waiting>(Duration.sum(Doubts.codeTime, Duration.minutes(5)))

  const submitNin = Effect.fnUntraced(function* (submission: KycSubmission) {
    const body = Redacted.make({ nin: Redacted.value(submission.id) })
    const answer = yield* Effect.mapError(call("/v3/lookup/nin", body), VendorFailure.submitFailure)
    return yield* MonoAnswers.ofNin(answer, submission.reference, askedOf(submission))
  })

  /** Makes Mono send the code. The session is already paid for, so no failure here may start another session. */
  const sendCode = Effect.fnUntraced(function* (
    submission: KycSubmission,
    { channel, session }: MonoAnswers.CodeSession
  ) {
    const notSent: KycOutcome = { _tag: "Errored", providerReference: session, reason: "code_not_sent" }
    if (channel === undefined) return notSent
    const answer = yield* Effect.option(step("/v2/lookup/bvn/verify", Redacted.make({ method: channel }), session))
    if (!Option.exists(answer, MonoAnswers.isCodeSent)) return notSent
    yield* memory.keep(submission.reference, { asked: askedOf(submission), channel })
    return yield* codeAction(session, channel)
  })

  const submitBvn = Effect.fnUntraced(function* (submission: KycSubmission) {
    const body = Redacted.make({ bvn: Redacted.value(submission.id), scope: "identity" })
    const answer = yield* Effect.mapError(step("/v2/lookup/bvn/initiate", body), VendorFailure.submitFailure)
    const begun = yield* MonoAnswers.ofInitiation(answer)
    return begun._tag === "CodeSession" ? yield* sendCode(submission, begun) : begun
  })

  const submit = (submission: KycSubmission): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
    switch (submission.kind) {
      case "bvn":
        return submitBvn(submission)
      case "nin":
        return submitNin(submission)
      default:
        return notSubmittedLocally("kind_not_supported")
    }
  }

  const submitCode = Effect.fnUntraced(function* (query: KycQuery, code: Redacted.Redacted<string>) {
    const { providerReference: session, reference } = query
    if (session === undefined) return yield* notSubmittedLocally("session_unknown")
    const waiting = Option.getOrUndefined(yield* memory.find(reference))
    // The values to compare are in another process's memory, or lost. Sending the code would verify a person whose
    // details were never compared.
    if (waiting === undefined) return yield* notSubmittedLocally("asked_elsewhere")
    const body = Redacted.make({ otp: Redacted.value(code) })
    const answer = yield* Effect.mapError(call("/v2/lookup/bvn/details", body, session), VendorFailure.submitFailure)
    const outcome = yield* MonoAnswers.ofCode(answer, session, waiting.asked)
    if (outcome._tag === "RefusedCode") return yield* codeAction(session, waiting.channel)
    yield* memory.forget(reference)
    return outcome
  })

  return KycProvider.of({
    name,
    capabilities,
    submit,
    lookup: () => Effect.fail(new KycOutcomeUnknown({ reason: "no_lookup" })),
    submitCode,
    callback: () => Effect.succeed({ _tag: "NotAuthentic" })
  })
})

/** Provides Mono as a KYC provider for LIVE. */
export const layer = (settings: MonoSettings): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, make(settings)).pipe(Layer.provide(FetchHttpClient.layer))
