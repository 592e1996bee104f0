import { notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycSubmission,
  type KycValidation
} from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import { submitFailure } from "@surety/kyc-http/VendorFailure"
import * as VendorHttp from "@surety/kyc-http/VendorHttp"
import { Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as KoraAnswer from "./KoraAnswer.js"

export interface KoraSettings {
  /** Kora's secret key, `sk_live_…`. A test key reaches Kora's sandbox at the same url. */
  readonly secretKey: Redacted.Redacted<string>
  /** Default: Kora's own url, for both kinds of key. */
  readonly url?: string
}

/** The provider's name in `KYC_ROUTES` and in records. */
export const name = "kora"

export const liveUrl = "https://api.korapay.com/merchant/api/v1"

const routes: Readonly<Record<VerificationKind, string>> = {
  bvn: "/identities/ng/bvn",
  nin: "/identities/ng/nin",
  vnin: "/identities/ng/vnin",
  phone: "/identities/ng/phone",
  nin_phone: "/identities/ng/nin-phone"
}

/**
 * Capabilities of Kora. After a lost response, the verification ends as `ERROR` with `outcome_unknown` and is never
 * sent again automatically.
 */
export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin", "vnin", "phone", "nin_phone"],
  // Identity requests take no reference, metadata or idempotency key.
  // Kora's route for querying a verification takes only Kora's reference, which is unknown after a lost response. Its
  // documented response lacks the comparison results. Kora's history contains neither numbers nor our references, so a
  // lost response cannot be found there.
  lookup: "none",
  recognisesRepeats: false,
  // Identity webhooks are undocumented and unnecessary, because results arrive in the response itself.
  callback: "none"
}

const fields: Readonly<Record<keyof KycValidation, string>> = {
  firstName: "first_name",
  lastName: "last_name",
  dateOfBirth: "date_of_birth",
  selfie: "selfie"
}

const isField = (field: string): field is keyof KycValidation => field in fields

const validationOf = (validation: KycValidation): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(validation).flatMap(([field, value]: [string, Redacted.Redacted<string> | undefined]) =>
      value === undefined || !isField(field) ? [] : [[fields[field], Redacted.value(value)]]
    )
  )

const bodyOf = ({ id, validation }: KycSubmission) => {
  const compared = validationOf(validation)
  return Redacted.make({
    id: Redacted.value(id),
    // Always true, because core refuses a verification without the person's consent.
    verification_consent: true,
    ...(Object.keys(compared).length === 0 ? {} : { validation: compared })
  })
}

/**
 * Reads Kora's refusal of invalid fields, sent before Kora looks up the number. Returns `Failed` if the number is among
 * these fields, otherwise fails with `KycNotSubmitted`.
 */
const invalidOutcome = ({ data }: typeof KoraAnswer.Invalid.Type): Effect.Effect<KycOutcome, KycNotSubmitted> =>
  "id" in data
    ? Effect.succeed({ _tag: "Failed", reason: "id_format", checks: {} })
    : Effect.fail(new KycNotSubmitted({ reason: "request_refused", isRefusal: true }))

const understood = (
  submission: KycSubmission,
  answer: VendorAnswer.VendorAnswer
): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
  const unclear = Effect.fail(VendorAnswer.unclear(answer))
  switch (answer.status) {
    case 200:
      return Option.match(VendorAnswer.decode(KoraAnswer.Found)(answer), {
        onNone: () => unclear,
        onSome: (found) => Effect.succeed(KoraAnswer.outcomeOf(submission, found))
      })
    case 404:
      return Option.match(Option.filter(VendorAnswer.decode(KoraAnswer.Refused)(answer), KoraAnswer.isNotFound), {
        onNone: () => unclear,
        onSome: () => Effect.succeed({ _tag: "Failed", reason: "id_not_found", checks: {} })
      })
    case 400:
    case 422:
      return Option.match(VendorAnswer.decode(KoraAnswer.Invalid)(answer), {
        onNone: () => unclear,
        onSome: invalidOutcome
      })
    default:
      return Option.match(VendorAnswer.refusal(answer.status), { onNone: () => unclear, onSome: Effect.fail })
  }
}

const make = Effect.fnUntraced(function* ({ secretKey, url = liveUrl }: KoraSettings) {
  const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
  const authorization = Redacted.make(`Bearer ${Redacted.value(secretKey)}`)

  const submit = (submission: KycSubmission) =>
    http
      .call({ method: "POST", route: routes[submission.kind], headers: { authorization }, body: bodyOf(submission) })
      .pipe(
        Effect.mapError(submitFailure),
        Effect.flatMap((answer) => understood(submission, answer))
      )

  return KycProvider.of({
    name,
    capabilities,
    submit,
    lookup: () => Effect.fail(new KycOutcomeUnknown({ reason: "no_lookup" })),
    submitCode: () => notSubmittedLocally("no_codes"),
    callback: () => Effect.succeed({ _tag: "NotAuthentic" })
  })
})

/**
 * Provides Kora as a KYC provider, over `fetch`.
 *
 * @example
 * KycProviders.layer.pipe(Layer.provide(Kora.layer({ secretKey: Redacted.make(key) })))
 */
export const layer = (settings: KoraSettings): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, make(settings)).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * Checks whether Kora accepts the key by reading the account's balances, which is free. Returns `None` if that cannot
 * be determined.
 */
export const acceptsCredentials = ({ secretKey, url = liveUrl }: KoraSettings): Effect.Effect<Option.Option<boolean>> =>
  Effect.gen(function* () {
    const http = yield* VendorHttp.make({ vendor: name, baseUrl: url })
    const headers = { authorization: Redacted.make(`Bearer ${Redacted.value(secretKey)}`) }
    const { status } = yield* http.call({ method: "GET", route: "/balances", headers })
    if (status === 200) return Option.some(true)
    return status === 401 || status === 403 ? Option.some(false) : Option.none()
  }).pipe(
    Effect.orElseSucceed(() => Option.none<boolean>()),
    Effect.provide(FetchHttpClient.layer)
  )
