import { notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  type KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import { ProviderReference } from "@surety/core/kyc/verification/Verification"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import * as VendorFailure from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Doubts from "./Doubts.js"
import { outcomeOfRecord } from "./outcomeOfRecord.js"
import * as YouverifyCallback from "./YouverifyCallback.js"
import { YouverifyAnswer, YouverifyError, type YouverifyRecord } from "./YouverifyRecord.js"

/** The provider's name in `KYC_ROUTES`, in records, and in its callback url. */
export const name = "youverify"

export const liveUrl = "https://api.youverify.co"

export interface YouverifySettings {
  /** The API key, sent in the header `token`. */
  readonly token: Redacted.Redacted<string>
  /** The secret with which Youverify signs its webhooks. */
  readonly webhookSecret: Redacted.Redacted<string>
  /** Default: `liveUrl`. The sandbox has a url of its own. */
  readonly url?: string
}

/**
 * Capabilities of Youverify. Our reference is sent as metadata and returned in the webhook. Youverify supports no
 * lookup, whether by our reference or by its own.
 */
export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin", "vnin", "phone", "nin_phone"],
  lookup: "none",
  recognisesRepeats: false,
  callback: "authenticated"
}

const routes = {
  bvn: "/v2/api/identity/ng/bvn",
  nin: "/v2/api/identity/ng/nin",
  vnin: "/v2/api/identity/ng/vnin",
  phone: "/v2/api/identity/ng/phone",
  nin_phone: "/v2/api/identity/ng/nin-phone"
} as const

type Json = { readonly [name: string]: Schema.Json }

const dataOf = ({ dateOfBirth, firstName, lastName }: KycSubmission["validation"]): Json => ({
  ...(firstName === undefined ? {} : { firstName: Redacted.value(firstName) }),
  ...(lastName === undefined ? {} : { lastName: Redacted.value(lastName) }),
  ...(dateOfBirth === undefined ? {} : { dateOfBirth: Redacted.value(dateOfBirth) })
})

const comparedOf = ({ validation }: KycSubmission): Json => {
  const data = dataOf(validation)
  const { selfie } = validation
  return {
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(selfie === undefined ? {} : { selfie: { image: Redacted.value(selfie) } })
  }
}

/**
 * Builds the body of a submission. The kinds `phone` and `nin_phone` accept no values to compare, so Surety makes the
 * comparison.
 */
const bodyOf = (submission: KycSubmission): Schema.Json => {
  const { id, kind, reference } = submission
  const common = { isSubjectConsent: true, metadata: { reference } }
  if (kind === "phone" || kind === "nin_phone") return { mobile: Redacted.value(id), ...common }
  const compared = comparedOf(submission)
  return {
    id: Redacted.value(id),
    ...common,
    ...(Object.keys(compared).length === 0 ? {} : { [Doubts.validationField[kind]]: compared })
  }
}

const decodeAnswer = VendorAnswer.decode(YouverifyAnswer)
const decodeError = VendorAnswer.decode(YouverifyError)
const isReference = Schema.is(ProviderReference)

/**
 * Reads an unsuccessful response.
 *
 * | status | result |
 * | --- | --- |
 * | 401, 402, 403, 429 | `KycNotSubmitted`: refused before any work; a 403 may also mean an empty wallet |
 * | 404 with Youverify's error, "… not found" | `Failed`, `id_not_found` |
 * | 400 or 422 with Youverify's error | `Errored`, `request_refused`: the same request would be refused again |
 * | anything else | `KycOutcomeUnknown` |
 */
const refused = (answer: VendorAnswer.VendorAnswer): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
  const refusal = VendorAnswer.refusal(answer.status)
  if (Option.isSome(refusal)) return Effect.fail(refusal.value)
  const error = Option.getOrUndefined(decodeError(answer))
  if (error === undefined) return Effect.fail(VendorAnswer.unclear(answer))
  if (answer.status === 404 && Doubts.notFoundMessage.test(error.message) && !Doubts.noSuchRoute.test(error.message)) {
    return Effect.succeed({ _tag: "Failed", reason: "id_not_found", checks: {} })
  }
  return answer.status === 400 || answer.status === 422
    ? Effect.succeed({ _tag: "Errored", reason: "request_refused" })
    : Effect.fail(VendorAnswer.unclear(answer))
}

const outcomeOf = (record: YouverifyRecord, { reference, validation }: KycSubmission): KycOutcome => {
  const given = record.metadata?.reference
  const providerReference = isReference(record.id) ? record.id : reference
  // The response belongs to another verification.
  if (given !== undefined && given !== null && given !== reference) return { _tag: "Unrecognised" }
  return outcomeOfRecord(record, providerReference, validation)
}

/** Creates the provider on top of an HTTP client. */
export const make = Effect.fnUntraced(function* (settings: YouverifySettings) {
  const { token, url = liveUrl, webhookSecret } = settings
  const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
  const callback = yield* YouverifyCallback.make(webhookSecret)

  const submit = Effect.fnUntraced(function* (submission: KycSubmission) {
    const body = Redacted.make(bodyOf(submission))
    const call = { method: "POST", route: routes[submission.kind], headers: { token }, body } as const
    const answer = yield* Effect.mapError(http.call(call), VendorFailure.submitFailure)
    if (answer.status < 200 || answer.status > 299) return yield* refused(answer)
    const found = decodeAnswer(answer)
    return Option.isSome(found)
      ? outcomeOf(found.value.data, submission)
      : yield* Effect.fail(VendorAnswer.unclear(answer))
  })

  return KycProvider.of({
    name,
    capabilities,
    submit,
    lookup: () => Effect.fail(new KycOutcomeUnknown({ reason: "no_lookup" })),
    submitCode: () => notSubmittedLocally("code_not_supported"),
    callback
  })
})

/** Provides Youverify as a KYC provider for LIVE. */
export const layer = (settings: YouverifySettings): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, make(settings)).pipe(Layer.provide(FetchHttpClient.layer))
