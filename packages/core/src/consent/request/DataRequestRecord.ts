import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { DataRequestId, GrantId } from "../../Ids.js"
import { type DataRequest, DataRequestStatus } from "./DataRequest.js"

/**
 * A data request as merchants read it. The response that creates it has the first six keys, and in TEST `consentUrl`.
 */
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
  /** TEST only: where to decide in the person's place. */
  consentUrl: Schema.optionalKey(Schema.String)
})
export type DataRequestRecord = typeof DataRequestRecord.Type

/** The request as a merchant may see it. Why it was denied, and by whom, stays with the person. */
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

/** The stored body of the response to `POST /v1/data-requests`, with its keys in a fixed order and without the link. */
export const answerBody = (request: DataRequest): string =>
  JSON.stringify({
    id: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    createdAt: DateTime.formatIso(request.createdAt),
    expiresAt: DateTime.formatIso(request.expiresAt),
    // Present at once if active grants cover the request.
    approvedFields: request.approvedFields,
    decidedAt: request.decidedAt && DateTime.formatIso(request.decidedAt)
  })

/** A stored answer as it is sent in TEST. */
export const withConsentUrl = (answer: string, url: string): string =>
  `${answer.slice(0, -1)},"consentUrl":${JSON.stringify(url)}}`
