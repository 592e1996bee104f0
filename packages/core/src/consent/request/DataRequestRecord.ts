import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { DataRequestId, GrantId } from "../../Ids.js"
import { type DataRequest, DataRequestStatus } from "./DataRequest.js"

/** A data request as merchants read it. The answer that made it has the first six keys, and in TEST `consentUrl`. */
export const DataRequestRecord = Schema.Struct({
  id: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Schema.Array(IdentityField),
  status: DataRequestStatus,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  purpose: Schema.optionalKey(Schema.String),
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  grantId: Schema.optionalKey(GrantId),
  decidedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** TEST alone: where to decide in the person's place. */
  consentUrl: Schema.optionalKey(Schema.String)
})
export type DataRequestRecord = typeof DataRequestRecord.Type

/** The request as a merchant may see it: why it was denied, and by whom, is the person's own affair. */
export const recordOf = (request: DataRequest): DataRequestRecord => ({
  id: request.id,
  serviceId: request.serviceId,
  requestedFields: request.requestedFields,
  status: request.status,
  createdAt: request.createdAt,
  expiresAt: request.expiresAt,
  purpose: request.purpose,
  ...(request.approvedFields === undefined ? {} : { approvedFields: request.approvedFields }),
  ...(request.grantId === undefined ? {} : { grantId: request.grantId }),
  ...(request.decidedAt === undefined ? {} : { decidedAt: request.decidedAt })
})

/** The body of the answer to `POST /v1/data-requests`, its keys in a fixed order, as it is kept: without the link. */
export const answerBody = (request: DataRequest): string =>
  JSON.stringify({
    id: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    createdAt: DateTime.formatIso(request.createdAt),
    expiresAt: DateTime.formatIso(request.expiresAt),
    // There at once where grants in force cover the request.
    approvedFields: request.approvedFields,
    decidedAt: request.decidedAt && DateTime.formatIso(request.decidedAt)
  })

/** A kept answer as it is sent in TEST. */
export const withConsentUrl = (answer: string, url: string): string =>
  `${answer.slice(0, -1)},"consentUrl":${JSON.stringify(url)}}`
