import { UserId, VerificationId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { answerBody, VerificationRecord } from "@surety/core/kyc/verification/VerificationRecord"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { toPage } from "@surety/http/field/Paging"
import { ServiceId } from "@surety/http/field/ServiceId"
import { CodeRequestBody, VerificationRequestBody } from "@surety/http/kyc/VerificationFields"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { type HostKycOutcome, understood } from "../host/HostKycProvider.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const fromText = Schema.decodeSync(Schema.fromJsonString(VerificationRecord))
const record = plain(VerificationRecord)
const answered = (body: string) => record(fromText(body))

const { id, kind, tier, validation } = VerificationRequestBody.fields
const compared = validation.schema.fields

/** A provider's callback: the verification by either reference, and its outcome. */
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

/** Managed verifications of linked consumers. */
export const verifications = (run: Run) => ({
  /**
   * Verifies a person. A replay of the same `idempotencyKey` returns the first result, and one key is charged at most
   * once. `PENDING` if the provider's result comes later. Numbers, names and selfies are neither stored nor logged.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      userId: Schema.optionalKey(UserId),
      serviceId: Schema.optionalKey(ServiceId),
      kind,
      id,
      verificationConsent: Schema.Boolean,
      tier,
      validation: Schema.optionalKey(
        Schema.Struct({
          firstName: compared.first_name,
          lastName: compared.last_name,
          dateOfBirth: compared.date_of_birth,
          selfie: compared.selfie
        })
      )
    }),
    ({ environment, idempotencyKey, merchantId, ...request }) =>
      Effect.gen(function* () {
        const service = yield* Verifications
        const { body, replayed } = yield* service.submit({ merchantId, environment }, idempotencyKey, request)
        return { verification: answered(body), replayed }
      })
  ),

  /** By `reference` or `providerReference`. Looks up a result that is due first. */
  get: call(run, Schema.Struct({ ...scopeFields, reference: Schema.String }), ({ reference, ...scope }) =>
    Effect.flatMap(Verifications, (service) =>
      Effect.map(service.get(scope, reference), (found) => answered(answerBody(found)))
    )
  ),

  /** Newest first. */
  list: call(run, Schema.Struct({ ...scopeFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(Verifications, (service) =>
      Effect.map(
        readPage(["verifications.list", merchantId, environment], page, (request) =>
          service.list({ merchantId, environment }, request)
        ),
        (found) => toPage(found, (each) => answered(answerBody(each)))
      )
    )
  ),

  /** Passes on the person's one-time code. After a wrong one the verification stays `REQUIRES_ACTION`. */
  submitCode: call(
    run,
    Schema.Struct({ ...scopeFields, reference: Schema.String, ...CodeRequestBody.fields }),
    ({ code, reference, ...scope }) =>
      Effect.flatMap(Verifications, (service) =>
        Effect.map(service.submitCode(scope, reference, code), (found) => answered(answerBody(found)))
      )
  ),

  /**
   * Commits a provider's callback, after you checked its signature. False if it changes nothing: a repeated call, or a
   * verification that has ended or belongs to another provider.
   */
  providerCalled: ({ outcome, ...called }: ProviderCall) => providerCalled(run, outcome)(called)
})
