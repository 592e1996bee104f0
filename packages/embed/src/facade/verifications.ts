import { VerificationId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { compared, confidential, IdText, OneTimeCode, Tier } from "@surety/core/input/VerificationFields"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import { VerificationNotFound } from "@surety/core/kyc/KycError"
import { CodeChannel } from "@surety/core/kyc/verification/NextAction"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { toPage } from "@surety/core/Page"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { call, type Run } from "../Call.js"
import type { HostKycOutcome } from "../host/HostKycAnswers.js"
import { understood } from "../host/HostKycProvider.js"
import { invalidInput } from "../Outcome.js"
import { plainVerification } from "../record/Consent.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { listingFields, personFields, scopeFields } from "./input/scopeAndPerson.js"

/**
 * A verification's outcome, as reported by a provider's callback. Identify the verification by Surety's `reference` or
 * the provider's `providerReference`.
 */
export interface ProviderCall extends CalledAbout {
  readonly outcome: HostKycOutcome
}

interface CalledAbout {
  /** The provider's `name`. */
  readonly provider: string
  readonly reference?: string
  readonly providerReference?: string
}

const providerCalled = (run: Run, outcome: HostKycOutcome) =>
  call(
    run,
    Schema.Struct({
      provider: Schema.String,
      reference: Schema.optionalKey(VerificationId),
      providerReference: Schema.optionalKey(Schema.String)
    }),
    ({ provider, providerReference, reference }) =>
      Effect.gen(function* () {
        const service = yield* Verifications
        const said = yield* understood({ provider, operation: "providerCalled", given: [] }, outcome)
        return yield* service.providerCalled({ provider, reference, providerReference }, said)
      })
  )

/**
 * Identity verifications of consumers through KYC providers. A merchant can verify a consumer only with a link to the
 * consumer or an active grant.
 */
export const verifications = (run: Run) => ({
  /**
   * Verifies a person. Within 30 days, a repeated call with the same `idempotencyKey` and input returns the
   * verification in its current state. The repeat starts no second paid verification. Fails with `InvalidInput` unless
   * `verificationConsent` is true. The status is `REQUIRES_ACTION` if the person must act, and `PENDING` if the result
   * comes later. The full number and the values in `validation` are neither stored nor logged.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      ...personFields,
      kind: VerificationKind,
      id: confidential(IdText, "id"),
      verificationConsent: Schema.Boolean,
      tier: Schema.optionalKey(Tier),
      validation: Schema.optionalKey(
        Schema.Struct({
          firstName: Schema.optionalKey(confidential(compared.firstName, "first_name")),
          lastName: Schema.optionalKey(confidential(compared.lastName, "last_name")),
          dateOfBirth: Schema.optionalKey(confidential(compared.dateOfBirth, "date_of_birth")),
          selfie: Schema.optionalKey(confidential(compared.selfie, "selfie"))
        })
      )
    }),
    ({ environment, idempotencyKey, merchantId, ...request }) =>
      Effect.gen(function* () {
        const service = yield* Verifications
        const command = yield* Effect.fromResult(Result.mapError(parseVerification(request), invalidInput))
        const scope = { merchantId, environment }
        const { replayed, verification } = yield* service.submit(scope, idempotencyKey, command)
        if (Option.isNone(verification)) return yield* new VerificationNotFound()
        return { ...plainVerification(verification.value), replayed }
      })
  ),

  /**
   * Finds a verification. `reference` is Surety's reference or the provider's. If a lookup at the provider is due,
   * waits a limited time for the lookup.
   */
  get: call(run, Schema.Struct({ ...scopeFields, reference: Schema.String }), ({ reference, ...scope }) =>
    Effect.flatMap(Verifications, (service) => Effect.map(service.get(scope, reference), plainVerification))
  ),

  /** Verifications for one merchant or for all, newest first. */
  list: call(run, Schema.Struct({ ...listingFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(Verifications, (service) =>
      Effect.map(
        readHostPage(["verifications.list", merchantId ?? "", environment], page, (request) =>
          service.listAll({ environment, merchantId }, request)
        ),
        (found) => toPage(found, plainVerification)
      )
    )
  ),

  /**
   * Submits the person's one-time code. `channel`, if given, says which of the action's `channels` delivered the code.
   * After a wrong code, the verification stays `REQUIRES_ACTION`. A wrong third code ends it as `FAILED`. Fails with
   * `VerificationNeedsNoAction` if no code is awaited or the code has expired. Fails with `KycProviderUnavailable` if
   * the code was not submitted and may be submitted again.
   */
  submitCode: call(
    run,
    Schema.Struct({
      ...scopeFields,
      reference: Schema.String,
      code: confidential(OneTimeCode, "code"),
      channel: Schema.optionalKey(CodeChannel)
    }),
    ({ channel, code, reference, ...scope }) =>
      Effect.flatMap(Verifications, (service) =>
        Effect.map(service.submitCode(scope, reference, code, channel), plainVerification)
      )
  ),

  /**
   * Handles a provider's raw callback, for a host that does not mount `/callbacks/kyc/{provider}`. Takes the raw body,
   * and the headers keyed by lower-case name. The provider's `callback` checks the signature. Returns false if the
   * callback is not authentic or no provider has this name. Respond with 401 in that case.
   */
  callback: call(
    run,
    Schema.Struct({
      provider: Schema.String,
      body: Schema.Uint8Array,
      headers: Schema.Record(Schema.String, Schema.String)
    }),
    ({ body, headers, provider }) =>
      Effect.flatMap(Verifications, (service) =>
        service.callback(provider, { body: Redacted.make(body, { label: "KYC callback" }), headers })
      )
  ),

  /**
   * Commits the outcome that a provider's callback reports. Check the callback's signature before this call. Returns
   * false if the outcome changes nothing, for example because the callback is a repeat.
   */
  providerCalled: ({ outcome, ...called }: ProviderCall) => providerCalled(run, outcome)(called)
})
