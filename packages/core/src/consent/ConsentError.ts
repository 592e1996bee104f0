import { Schema } from "effect"
import { DataRequestId, GrantId } from "../Ids.js"
import { DataRequestStatus } from "./request/DataRequest.js"

/** One thing wrong with what was asked for, and where. */
export const ConsentFault = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  code: Schema.Literals([
    "fields_required",
    "fields_too_many",
    "field_unknown",
    "field_repeated",
    "field_not_requested",
    "purpose_length",
    "hidden_characters",
    "expiry_past"
  ]),
  detail: Schema.String
})
export type ConsentFault = typeof ConsentFault.Type

/** What was asked for makes no sense. Every fault is listed. */
export class ConsentRequestInvalid extends Schema.TaggedError<ConsentRequestInvalid>(
  "@surety/core/consent/ConsentError/ConsentRequestInvalid"
)("ConsentRequestInvalid", { faults: Schema.Array(ConsentFault) }) {}

export class DataRequestNotFound extends Schema.TaggedError<DataRequestNotFound>(
  "@surety/core/consent/ConsentError/DataRequestNotFound"
)("DataRequestNotFound", { dataRequestId: DataRequestId }) {}

/** The request is no longer pending: somebody was first, or it has expired. */
export class DataRequestDecided extends Schema.TaggedError<DataRequestDecided>(
  "@surety/core/consent/ConsentError/DataRequestDecided"
)("DataRequestDecided", { dataRequestId: DataRequestId, status: DataRequestStatus }) {}

export class GrantNotFound extends Schema.TaggedError<GrantNotFound>("@surety/core/consent/ConsentError/GrantNotFound")(
  "GrantNotFound",
  { grantId: GrantId }
) {}

/** The merchant has no grant in force of this person, or there is no such person: one error for both. */
export class ConsentRequired extends Schema.TaggedError<ConsentRequired>(
  "@surety/core/consent/ConsentError/ConsentRequired"
)("ConsentRequired", {}) {
  override get message(): string {
    return "The merchant has no grant in force of this person, or there is no such person."
  }
}

/** No block keeps this merchant from asking this person, or there is no such person. */
export class AskingBlockNotFound extends Schema.TaggedError<AskingBlockNotFound>(
  "@surety/core/consent/ConsentError/AskingBlockNotFound"
)("AskingBlockNotFound", {}) {}

/** No request waits behind this link, or none any more. */
export class ConsentLinkUnknown extends Schema.TaggedError<ConsentLinkUnknown>(
  "@surety/core/consent/ConsentError/ConsentLinkUnknown"
)("ConsentLinkUnknown", {}) {}
