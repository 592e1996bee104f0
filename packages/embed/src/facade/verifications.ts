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

/** Which verification a provider calls about, by either reference, and what it says. */
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

/** Managed verifications of people whom a merchant may name. */
export const verifications = (run: Run) => ({
  /**
   * Verifies, or answers what the same `idempotencyKey` was answered before; one key is paid for at most once. `PENDING`
   * where the provider answers later. Numbers, names and selfies are neither kept nor logged.
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

  /** By `reference` or by `providerReference`. A result that is due by now is looked for first. */
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

  /** Passes the person's one-time code on. After a wrong one the verification still is `REQUIRES_ACTION`. */
  submitCode: call(
    run,
    Schema.Struct({ ...scopeFields, reference: Schema.String, ...CodeRequestBody.fields }),
    ({ code, reference, ...scope }) =>
      Effect.flatMap(Verifications, (service) =>
        Effect.map(service.submitCode(scope, reference, code), (found) => answered(answerBody(found)))
      )
  ),

  /**
   * What a provider's callback comes to, once its signature was checked. False where it was no news: the same call
   * twice, or a verification that has ended or is another provider's.
   */
  providerCalled: ({ outcome, ...called }: ProviderCall) => providerCalled(run, outcome)(called)
})
