import { VerificationId } from "@surety/core/Ids"
import { notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCallback, KycCalled } from "@surety/core/kyc/provider/KycCallback"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycQuery,
  type KycSubmission,
  type KycValidation
} from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as BoundedJson from "@surety/kyc-http/BoundedJson"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import { lookupFailure, submitFailure } from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import * as VendorSignature from "@surety/kyc-http/VendorSignature"
import { Clock, DateTime, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as SmileIdAnswer from "./SmileIdAnswer.js"

export interface SmileIdSettings {
  /** The partner id (account number) from the portal, without leading zeros. */
  readonly partnerId: string
  readonly apiKey: Redacted.Redacted<string>
  /** Default: Smile ID's production url. */
  readonly url?: string
}

/** The provider's name in `KYC_ROUTES`, in records, and in its callback url. */
export const name = "smile-id"

export const liveUrl = "https://api.smileidentity.com"

/** Smile ID's id types. Smile ID has no product that looks up a NIN by phone number. */
const idTypes: Readonly<Partial<Record<VerificationKind, string>>> = {
  bvn: "BVN",
  nin: "NIN_V2",
  vnin: "V_NIN",
  phone: "PHONE_NUMBER"
}

export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin", "vnin", "phone"],
  // Looked up through `/v1/job_status` by `job_id` and `user_id`, both of which are our reference. Each result echoes
  // the `job_id`.
  lookup: "our_reference",
  // A repeated `job_id` is refused with error code 2215.
  recognisesRepeats: true,
  // The signature does not cover the body, so a callback is only a hint to look up the job.
  callback: "hint"
}

/**
 * Maximum difference between a callback's timestamp and the current time, in either direction. Smile ID documents no
 * limit. A replay only costs a lookup.
 */
export const callbackAge = Duration.minutes(15)

/** Smile ID's job type for Basic and Enhanced KYC. */
const jobType = 5

const utf8 = new TextEncoder()

const textOf = (value: Redacted.Redacted<string> | undefined): string | undefined =>
  value === undefined ? undefined : Redacted.value(value)

const comparedBy = ({ firstName, lastName }: KycValidation): SmileIdAnswer.Compared => {
  if (firstName !== undefined) return lastName === undefined ? "first" : "both"
  return lastName === undefined ? "none" : "last"
}

/** Returns the given details of the person, without the selfie, which Basic KYC does not take. */
const personOf = ({ dateOfBirth, firstName, lastName }: KycValidation): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ first_name: textOf(firstName), last_name: textOf(lastName), dob: textOf(dateOfBirth) }).flatMap(
      ([field, value]) => (value === undefined ? [] : [[field, value]])
    )
  )

const CalledBack = Schema.Struct({
  signature: Schema.String,
  timestamp: Schema.String,
  PartnerParams: Schema.Struct({ job_id: Schema.Unknown })
})

const SignedCall = Schema.Struct({ signature: Schema.String, timestamp: Schema.String })

const isVerificationId = Schema.is(VerificationId)

const notAuthentic: KycCalled = { _tag: "NotAuthentic" }

const make = Effect.fnUntraced(function* ({ apiKey, partnerId, url = liveUrl }: SmileIdSettings) {
  const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
  const { sign, verify } = yield* VendorSignature.make({ algorithm: Mac.hmacSha256, key: apiKey, text: "base64" })

  const signed = (timestamp: string) => utf8.encode(`${timestamp}${partnerId}sid_request`)

  const authentication = Effect.gen(function* () {
    const timestamp = DateTime.formatIso(yield* DateTime.now)
    return { partner_id: partnerId, timestamp, signature: yield* sign(signed(timestamp)) }
  })

  const askStatus = Effect.fnUntraced(function* (reference: string) {
    const body = {
      ...(yield* authentication),
      user_id: reference,
      job_id: reference,
      history: false,
      image_links: false
    }
    return yield* http.call({ method: "POST", route: "/v1/job_status", body: Redacted.make(body) })
  })

  const lookup = Effect.fnUntraced(function* ({ reference }: Pick<KycQuery, "reference">) {
    const answer = yield* Effect.mapError(askStatus(reference), lookupFailure)
    const status = VendorAnswer.decode(SmileIdAnswer.JobStatus)(answer)
    if (answer.status !== 200 || Option.isNone(status)) return yield* Effect.fail(VendorAnswer.unclear(answer))
    if (!(yield* verify(status.value.signature, signed(status.value.timestamp)))) {
      return yield* Effect.fail(new KycOutcomeUnknown({ reason: "answer_not_signed" }))
    }
    if (SmileIdAnswer.isUnknownJob(status.value)) return Option.none<KycOutcome>()
    const { job_complete: isComplete, result } = status.value
    if (result === undefined || result === null) return Option.some<KycOutcome>({ _tag: "Unrecognised" })
    return Option.some(SmileIdAnswer.outcomeOf(reference, isComplete ? result : { ...result, IsFinalResult: false }))
  })

  /** Looks up the job created under our reference by an attempt whose response was lost. */
  const existing = (reference: VerificationId) =>
    Effect.flatMap(
      lookup({ reference }),
      Option.match({
        onNone: () => Effect.fail(new KycOutcomeUnknown({ reason: "job_exists" })),
        onSome: (outcome) => Effect.succeed(outcome)
      })
    )

  const submit = Effect.fnUntraced(function* ({ id, kind, reference, validation }: KycSubmission) {
    const idType = idTypes[kind]
    if (idType === undefined) return yield* notSubmittedLocally("kind_not_supported")
    const compared = comparedBy(validation)
    const body = {
      ...(yield* authentication),
      ...personOf(validation),
      source_sdk: "rest_api",
      source_sdk_version: "1.0.0",
      country: "NG",
      id_type: idType,
      id_number: Redacted.value(id),
      partner_params: { job_id: reference, user_id: reference, job_type: jobType, compared }
    }
    const answer = yield* http
      .call({ method: "POST", route: "/v2/verify", body: Redacted.make(body) })
      .pipe(Effect.mapError(submitFailure))
    const result = VendorAnswer.decode(SmileIdAnswer.JobResult)(answer)
    if (answer.status === 200 && Option.isSome(result)) {
      return SmileIdAnswer.outcomeOf(reference, result.value, compared)
    }
    const code = Option.map(VendorAnswer.decode(SmileIdAnswer.Refused)(answer), (refused) => String(refused.code))
    if (Option.isSome(code) && code.value === SmileIdAnswer.jobExists) return yield* existing(reference)
    const refusal = Option.flatMapNullishOr(code, (known) => SmileIdAnswer.refusals.get(known))
    if (Option.isSome(refusal)) return yield* new KycNotSubmitted(refusal.value)
    // Any other code leaves the outcome unknown regardless of the status, because a job may exist.
    const refused = Option.isSome(code) ? Option.none() : VendorAnswer.refusal(answer.status)
    return yield* Effect.fail(Option.getOrElse(refused, () => VendorAnswer.unclear(answer)))
  })

  const callback = Effect.fnUntraced(function* ({ body }: KycCallback) {
    const json = BoundedJson.parse(Redacted.value(body))
    const call = Option.flatMap(json, Schema.decodeUnknownOption(SignedCall))
    if (Option.isNone(call)) return notAuthentic
    const { signature, timestamp } = call.value
    if (!(yield* verify(signature, signed(timestamp)))) return notAuthentic
    const age = Math.abs((yield* Clock.currentTimeMillis) - Date.parse(timestamp))
    if (!(age <= Duration.toMillis(callbackAge))) return notAuthentic
    const about = Option.map(
      Option.flatMap(json, Schema.decodeUnknownOption(CalledBack)),
      ({ PartnerParams: params }) => params.job_id
    )
    return Option.isSome(about) && isVerificationId(about.value)
      ? ({ _tag: "Hint", about: { reference: about.value } } satisfies KycCalled)
      : ({ _tag: "Irrelevant" } satisfies KycCalled)
  })

  return KycProvider.of({
    name,
    capabilities,
    submit,
    lookup,
    submitCode: () => notSubmittedLocally("no_codes"),
    callback
  })
})

/**
 * Provides Smile ID as a KYC provider with Basic KYC (`/v2/verify`), over `fetch`. Smile ID makes the comparison and
 * returns verdicts without the person's details.
 *
 * @example
 * KycProviders.layer.pipe(Layer.provide(SmileId.layer({ partnerId: "1234", apiKey: Redacted.make(key) })))
 */
export const layer = (settings: SmileIdSettings): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, make(settings)).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * Returns whether Smile ID accepts the credentials, or `None` if that cannot be determined. Requests the status of a
 * job that does not exist, which is free.
 */
export const acceptsCredentials = ({
  apiKey,
  partnerId,
  url = liveUrl
}: SmileIdSettings): Effect.Effect<Option.Option<boolean>> =>
  Effect.gen(function* () {
    const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
    const { sign } = yield* VendorSignature.make({ algorithm: Mac.hmacSha256, key: apiKey, text: "base64" })
    const timestamp = DateTime.formatIso(yield* DateTime.now)
    const job = "surety-doctor"
    const body = {
      partner_id: partnerId,
      timestamp,
      signature: yield* sign(utf8.encode(`${timestamp}${partnerId}sid_request`)),
      user_id: job,
      job_id: job,
      history: false,
      image_links: false
    }
    const answer = yield* http.call({ method: "POST", route: "/v1/job_status", body: Redacted.make(body) })
    if (Option.isSome(VendorAnswer.decode(SmileIdAnswer.JobStatus)(answer))) return Option.some(true)
    const code = Option.map(VendorAnswer.decode(SmileIdAnswer.Refused)(answer), (refused) => String(refused.code))
    const refusal = Option.flatMapNullishOr(code, (known) => SmileIdAnswer.refusals.get(known))
    const isKeyRefused = Option.exists(refusal, ({ reason }) => reason === "credentials_refused")
    const isRefused = isKeyRefused || answer.status === 401 || answer.status === 403
    return isRefused ? Option.some(false) : Option.none()
  }).pipe(
    Effect.orElseSucceed(() => Option.none<boolean>()),
    Effect.provide(FetchHttpClient.layer)
  )
