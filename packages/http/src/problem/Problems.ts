import type { AskRefused } from "@surety/core/consent/asking/decideAsk"
import type { TooManyUnknownConsumers } from "@surety/core/consent/asking/UnknownConsumerLimit"
import type * as ConsentError from "@surety/core/consent/ConsentError"
import type { DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
import type { ConsumerNotFound, ConsumerNotLinked, ServiceIdTaken, UserIdTaken } from "@surety/core/consumer/Consumers"
import type { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import type { IdempotencyInProgress, IdempotencyKeyReused } from "@surety/core/idempotency/IdempotencyError"
import type * as KycError from "@surety/core/kyc/KycError"
import type { CodeNotEntered, VerificationFailed } from "@surety/core/kyc/verification/Verifications"
import type * as MerchantError from "@surety/core/merchant/MerchantError"
import type * as PaymentError from "@surety/core/payment/PaymentError"
import type { NotReady } from "@surety/core/Readiness"
import type { RefundNotFound } from "@surety/core/refund/RefundError"
import type { RefundFailed } from "@surety/core/refund/Refunds"
import type { StoreError } from "@surety/core/StoreError"
import { commandFaults } from "./CommandFaults.js"
import { consentFaults } from "./ConsentProblems.js"
import { type Fault, inBody } from "./Fault.js"
import { problemOfVerificationRefusal } from "./KycProblems.js"
import { type Problem, problem, problemOfFaults } from "./Problem.js"
import { isProblemCode } from "./ProblemCode.js"
import { problemOfRefusal } from "./RefundProblems.js"

/** Every error that a service of the core can answer a request with. */
export type DomainError =
  | RefundFailed
  | RefundNotFound
  | VerificationFailed
  | KycError.VerificationNotFound
  | CodeNotEntered
  | IdempotencyKeyReused
  | IdempotencyInProgress
  | MerchantError.MerchantNotFound
  | MerchantError.MerchantNotActive
  | MerchantError.StatusChangeNotAllowed
  | MerchantError.ApiKeyNotFound
  | MerchantError.EndpointNotFound
  | MerchantError.EndpointDisabled
  | MerchantError.TooManyEndpoints
  | TargetNotAllowed
  | ServiceIdTaken
  | UserIdTaken
  | ConsumerNotFound
  | ConsumerNotLinked
  | PaymentError.PaymentNotFound
  | PaymentError.PaymentAlreadyRecorded
  | PaymentError.PaymentAlreadySettled
  | ConsentError.ConsentRequestInvalid
  | ConsentError.ConsentRequired
  | ConsentError.DataRequestNotFound
  | ConsentError.DataRequestDecided
  | ConsentError.GrantNotFound
  | ConsentError.AskingBlockNotFound
  | TooManyUnknownConsumers
  | AskRefused
  | DirectoryUnavailable
  | NotReady
  | StoreError

const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({ "retry-after": String(seconds) })

const storeRetrySeconds = 5

const targetProblem = ({ code, detail }: TargetNotAllowed): Problem => {
  const faults: ReadonlyArray<Fault> = [inBody(["url"], code, detail)]
  return isProblemCode(code) ? problemOfFaults(faults) : problem("webhook_url_not_allowed", { detail, faults })
}

/** The one place where the core's errors become problems. */
export const problemOf = (error: DomainError): Problem => {
  switch (error._tag) {
    case "RefundRequestInvalid":
      return problemOfFaults(commandFaults(error.faults))
    case "RefundRefused":
      return problemOfRefusal(error.reason)
    case "RefundNotFound":
      return problem("refund_not_found")
    case "RefundOutcomeUnknown":
      return problem("wallet_unavailable", { headers: retryAfter(error.retryAfterSeconds) })
    case "VerificationRequestInvalid":
      return problemOfFaults(commandFaults(error.faults))
    case "VerificationRefused":
      return problemOfVerificationRefusal(error.reason)
    case "VerificationNotFound":
      return problem("verification_not_found")
    case "VerificationNeedsNoAction":
      return problem("verification_needs_no_action", { detail: `The verification is ${error.status}.` })
    case "VerificationBusy":
      return problem("verification_busy", { headers: retryAfter(error.retryAfterSeconds) })
    case "KycProviderUnavailable":
      return problem("kyc_provider_unavailable", { headers: retryAfter(error.retryAfterSeconds) })
    case "IdempotencyKeyReused":
      return problem("idempotency_key_reused")
    case "IdempotencyInProgress":
      return problem("idempotency_in_progress", { headers: retryAfter(error.retryAfterSeconds) })
    case "MerchantNotFound":
      return problem("merchant_not_found")
    case "MerchantNotActive":
      return problem("merchant_not_active", {
        status: 409,
        detail: `A merchant in ${error.status} cannot have ${error.environment} keys.`,
        extension: { merchantStatus: error.status }
      })
    case "StatusChangeNotAllowed":
      return problem("status_change_not_allowed", {
        detail: `A merchant in ${error.from} cannot become ${error.to}.`,
        extension: { merchantStatus: error.from, allowed: error.allowed }
      })
    case "ApiKeyNotFound":
      return problem("api_key_not_found")
    case "EndpointNotFound":
      return problem("endpoint_not_found")
    case "EndpointDisabled":
      return problem("endpoint_disabled")
    case "TooManyEndpoints":
      return problem("too_many_endpoints", { extension: { limit: error.limit } })
    case "TargetNotAllowed":
      return targetProblem(error)
    case "ServiceIdTaken":
      return problem("service_id_taken")
    case "UserIdTaken":
      return problem("user_id_taken")
    case "ConsumerNotFound":
      return problem("consumer_not_found")
    case "ConsumerNotLinked":
      return problem("link_not_found")
    case "PaymentNotFound":
      return problem("payment_not_found")
    case "PaymentAlreadyRecorded":
      return problem("payment_already_recorded", { extension: { field: error.field } })
    case "PaymentAlreadySettled":
      return problem("payment_already_settled")
    case "ConsentRequestInvalid":
      return problemOfFaults(consentFaults(error.faults))
    case "ConsentRequired":
      return problem("consent_required")
    case "DataRequestNotFound":
      return problem("data_request_not_found")
    case "DataRequestDecided":
      return problem("data_request_decided", { extension: { dataRequestStatus: error.status } })
    case "GrantNotFound":
      return problem("grant_not_found")
    case "AskingBlocked":
      return problem("asking_blocked")
    case "AskedTooOften":
      return problem("asked_too_often", { headers: retryAfter(error.retryAfterSeconds) })
    case "AskedRecently":
      return problem("asked_recently", { headers: retryAfter(error.retryAfterSeconds) })
    case "AskingBlockNotFound":
      return problem("asking_block_not_found")
    case "TooManyUnknownConsumers":
      return problem("rate_limited", {
        detail: "You have named too many unknown consumers. Send the request again after Retry-After seconds.",
        headers: retryAfter(error.retryAfterSeconds)
      })
    case "DirectoryUnavailable":
      return problem("service_unavailable", { headers: retryAfter(storeRetrySeconds) })
    case "NotReady":
      return problem("not_ready", { headers: retryAfter(storeRetrySeconds) })
    case "StoreError":
      return error.isRetryable
        ? problem("service_unavailable", { headers: retryAfter(storeRetrySeconds) })
        : problem("internal_error")
  }
}
