import type { AskingBlocked } from "@surety/core/consent/asking/decideAsk"
import type { TooManyUnknownConsumers } from "@surety/core/consent/asking/UnknownConsumerLimit"
import type { ConsentFault, ConsentRequestInvalid, DataRequestDecided } from "@surety/core/consent/ConsentError"
import type { DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
import type { FaultCode } from "@surety/core/input/InputFault"
import { merchantNotActive } from "../merchant/MerchantRefusals.js"
import { inBody } from "../problem/Fault.js"
import { problem, problemOfFaults } from "../problem/Problem.js"
import { type RefusedAs, retryAfter, retryLater, unavailable, undocumented } from "../problem/Refusal.js"

const faultCodes: Readonly<Record<ConsentFault["code"], FaultCode>> = {
  fields_required: "too_short",
  fields_too_many: "too_long",
  field_unknown: "field_unknown",
  field_repeated: "field_repeated",
  field_not_requested: "field_not_requested",
  purpose_length: "too_long",
  duration_too_long: "out_of_range",
  hidden_characters: "hidden_characters",
  expiry_past: "expiry_past"
}

/**
 * Refusal of an input that core rejects. Reports every fault at its place in the body. Core finds faults that the form
 * cannot detect, such as an unrequested field or a past expiry.
 */
export const consentInputInvalid: RefusedAs<ConsentRequestInvalid> = {
  codes: [],
  problem: ({ faults }) =>
    problemOfFaults(faults.map(({ code, detail, path }) => inBody(path, faultCodes[code], detail)))
}

export const consumerNotFoundAt = (field: string): RefusedAs<unknown> => ({
  codes: ["consumer_not_found"],
  problem: () => problemOfFaults([inBody([field], "consumer_not_found", "Consumer not found in this environment.")])
})

const tooManyUnknownConsumers: RefusedAs<TooManyUnknownConsumers> = {
  codes: ["rate_limited"],
  problem: ({ retryAfterSeconds }) =>
    problem("rate_limited", {
      detail: "Too many of your requests named unknown consumers. Retry after Retry-After seconds.",
      headers: retryAfter(retryAfterSeconds)
    })
}

const returnUrlNotAllowed: RefusedAs<unknown> = {
  codes: ["return_url_not_allowed"],
  problem: () =>
    problemOfFaults([
      inBody(
        ["return_url"],
        "return_url_not_allowed",
        "Send an https url at or below one of your allowed return urls. The platform keeps that list."
      )
    ])
}

export const dataRequestDecided: RefusedAs<DataRequestDecided> = {
  codes: ["data_request_decided"],
  problem: ({ status }) => problem("data_request_decided", { extension: { dataRequestStatus: status } })
}

export const consentBlocked: RefusedAs<AskingBlocked> = {
  codes: ["asking_blocked"],
  problem: () =>
    problem("asking_blocked", {
      detail: "The person has blocked this merchant. Nothing is approved or granted until the platform lifts the block."
    })
}

/**
 * Refusals common to the routes that end a pending data request: approval, denial, cancellation and, in TEST, expiry.
 */
export const decisionRefusals = {
  DataRequestNotFound: "data_request_not_found",
  DataRequestDecided: dataRequestDecided
} as const

export const directoryUnavailable: RefusedAs<DirectoryUnavailable> = unavailable(
  "directory_unavailable",
  () => "Consumer directory did not respond"
)

/** Refusals of the merchants' data request routes (contract 7). */
export const dataRequestRefusals = {
  create: {
    // `MerchantGate` refuses such a merchant first, so this occurs only if the status changes during the request.
    MerchantNotActive: undocumented(merchantNotActive),
    ConsumerNotFound: consumerNotFoundAt("service_id"),
    ConsentRequestInvalid: consentInputInvalid,
    ReturnUrlNotAllowed: returnUrlNotAllowed,
    AskingBlocked: "asking_blocked",
    AskedTooOften: retryLater("asked_too_often"),
    AskedRecently: retryLater("asked_recently"),
    TooManyUnknownConsumers: tooManyUnknownConsumers,
    IdempotencyKeyReused: "idempotency_key_reused"
  },
  list: {},
  get: { DataRequestNotFound: "data_request_not_found" },
  cancel: decisionRefusals
} as const
