import { type DataRequest, DataRequestStatus } from "@surety/core/consent/request/DataRequest"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { DataRequestId, GrantId } from "@surety/core/Ids"
import { DateTime, Redacted, Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

/** A data request as its merchant reads it. The response that made it has the first six keys, and in TEST `consentUrl`. */
export const DataRequestRecord = Schema.Struct({
  id: DataRequestId,
  serviceId: ServiceIdRecord,
  requestedFields: Schema.Array(IdentityField),
  status: DataRequestStatus,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  purpose: Schema.optionalKey(Schema.String.annotate({ description: "What the person is told." })),
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  grantId: Schema.optionalKey(GrantId),
  decidedAt: Schema.optionalKey(Timestamp),
  consentUrl: Schema.optionalKey(
    Schema.String.annotate({ description: "With a TEST key, when it is made: where to decide in the person's place." })
  )
}).annotate({ identifier: "DataRequest" })

/** Without the reason for a denial and who denied it: these are the person's own affair. */
export const dataRequestRecord = (request: DataRequest): typeof DataRequestRecord.Type => ({
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

/** The response to store for `POST /v1/data-requests`, its keys in a fixed order. The link is a secret: it is not in it. */
export const dataRequestJson = (request: DataRequest): string =>
  JSON.stringify({
    id: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    createdAt: DateTime.formatIso(request.createdAt),
    expiresAt: DateTime.formatIso(request.expiresAt),
    // Approved at once if grants in force cover the request.
    approvedFields: request.approvedFields,
    decidedAt: request.decidedAt && DateTime.formatIso(request.decidedAt)
  })

/** A stored response as it is sent: in TEST with the link. */
export const withConsentUrl = (response: string, url: Redacted.Redacted<string> | undefined): string =>
  url === undefined ? response : `${response.slice(0, -1)},"consentUrl":${JSON.stringify(Redacted.value(url))}}`
