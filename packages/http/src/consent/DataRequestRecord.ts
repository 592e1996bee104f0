import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { type DataRequest, DataRequestStatus } from "@surety/core/consent/request/DataRequest"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { DataRequestId, GrantId } from "@surety/core/Ids"
import { DateTime, Redacted, Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

/**
 * A data request as returned to its merchant (contract 7). `grantId` is present only if the approval created a grant,
 * not if existing grants covered the request. `consentUrl` is only in responses to `POST /v1/data-requests` in TEST,
 * while the link is stored. The purpose is in the grant.
 */
export const DataRequestRecord = Schema.Struct({
  id: DataRequestId,
  serviceId: ServiceIdRecord,
  requestedFields: Schema.Array(IdentityField),
  status: DataRequestStatus,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  duration: Schema.optionalKey(
    GrantDuration.annotateKey({
      description: "The duration that you requested. Absent: as long as the platform allows."
    })
  ),
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  grantId: Schema.optionalKey(GrantId),
  decidedAt: Schema.optionalKey(Timestamp),
  consentUrl: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Only in the response that creates it, with a TEST key: the page on which to decide in the person's place."
    })
  )
}).annotate({ identifier: "DataRequest" })

/** A merchant does not learn who decided, or why the person denied. */
export const dataRequestRecord = (request: DataRequest): typeof DataRequestRecord.Type => ({
  id: request.id,
  serviceId: request.serviceId,
  requestedFields: request.requestedFields,
  status: request.status,
  createdAt: request.createdAt,
  expiresAt: request.expiresAt,
  ...(request.duration === undefined ? {} : { duration: request.duration }),
  ...(request.approvedFields === undefined ? {} : { approvedFields: request.approvedFields }),
  ...(request.grantId === undefined ? {} : { grantId: request.grantId }),
  ...(request.decidedAt === undefined ? {} : { decidedAt: request.decidedAt })
})

/**
 * Builds the response to store for `POST /v1/data-requests`, with keys in a fixed order. Omits the link, which is a
 * secret.
 */
export const dataRequestJson = (request: DataRequest): string =>
  JSON.stringify({
    id: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    createdAt: DateTime.formatIso(request.createdAt),
    expiresAt: DateTime.formatIso(request.expiresAt),
    duration: request.duration,
    // These fields are defined if active grants cover the request, which is then approved immediately.
    approvedFields: request.approvedFields,
    decidedAt: request.decidedAt && DateTime.formatIso(request.decidedAt)
  })

/** Adds the consent link, if any, to a stored response. */
export const withConsentUrl = (response: string, url: Redacted.Redacted<string> | undefined): string =>
  url === undefined ? response : `${response.slice(0, -1)},"consentUrl":${JSON.stringify(Redacted.value(url))}}`
