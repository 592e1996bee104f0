import { Schema } from "effect"
import { faultText } from "../faultText.js"
import { DataRequestId, GrantId } from "../Ids.js"
import { DataRequestStatus } from "./request/DataRequest.js"

/** A fault in an input. `path` is its location. */
export const ConsentFault = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  code: Schema.Literals([
    "fields_required",
    "fields_too_many",
    "field_unknown",
    "field_repeated",
    "field_not_requested",
    "purpose_length",
    "duration_too_long",
    "hidden_characters",
    "expiry_past"
  ]),
  detail: Schema.String
})
export type ConsentFault = typeof ConsentFault.Type

/** The input of a data request, an approval or a grant is invalid. `faults` has at least one entry. */
export class ConsentRequestInvalid extends Schema.TaggedError<ConsentRequestInvalid>(
  "@surety/core/consent/ConsentError/ConsentRequestInvalid"
)("ConsentRequestInvalid", { faults: Schema.Array(ConsentFault) }) {
  override get message(): string {
    return faultText(this.faults)
  }
}

/** The return url has an unacceptable form, or is not at or below any of the merchant's allowed urls. */
export class ReturnUrlNotAllowed extends Schema.TaggedError<ReturnUrlNotAllowed>(
  "@surety/core/consent/ConsentError/ReturnUrlNotAllowed"
)("ReturnUrlNotAllowed", {}) {
  override get message(): string {
    return "The return url is not one of the merchant's allowed return urls."
  }
}

export class DataRequestNotFound extends Schema.TaggedError<DataRequestNotFound>(
  "@surety/core/consent/ConsentError/DataRequestNotFound"
)("DataRequestNotFound", { dataRequestId: DataRequestId }) {
  override get message(): string {
    return `Data request ${this.dataRequestId} does not exist.`
  }
}

/** The request is no longer pending: it was already decided or cancelled, or it has expired. */
export class DataRequestDecided extends Schema.TaggedError<DataRequestDecided>(
  "@surety/core/consent/ConsentError/DataRequestDecided"
)("DataRequestDecided", { dataRequestId: DataRequestId, status: DataRequestStatus }) {
  override get message(): string {
    return `Data request ${this.dataRequestId} is already ${this.status}.`
  }
}

export class GrantNotFound extends Schema.TaggedError<GrantNotFound>("@surety/core/consent/ConsentError/GrantNotFound")(
  "GrantNotFound",
  { grantId: GrantId }
) {
  override get message(): string {
    return `Grant ${this.grantId} does not exist.`
  }
}

/**
 * The merchant has no active grant from the person. The same error is returned for an unknown or restricted person, so
 * it does not reveal whether the person exists.
 */
export class ConsentRequired extends Schema.TaggedError<ConsentRequired>(
  "@surety/core/consent/ConsentError/ConsentRequired"
)("ConsentRequired", {}) {
  override get message(): string {
    return "The merchant has no active grant of this person, or the person does not exist."
  }
}

/** No matching block is in force, or the person does not exist. */
export class AskingBlockNotFound extends Schema.TaggedError<AskingBlockNotFound>(
  "@surety/core/consent/ConsentError/AskingBlockNotFound"
)("AskingBlockNotFound", {}) {
  override get message(): string {
    return "No such block is in force."
  }
}

/** The link is unknown or no longer valid. */
export class ConsentLinkUnknown extends Schema.TaggedError<ConsentLinkUnknown>(
  "@surety/core/consent/ConsentError/ConsentLinkUnknown"
)("ConsentLinkUnknown", {}) {
  override get message(): string {
    return "The link is unknown, expired or cancelled."
  }
}
