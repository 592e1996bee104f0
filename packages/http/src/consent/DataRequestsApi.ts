import { maxPurposeLength } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequestRecord } from "@surety/core/consent/request/DataRequestRecord"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { IdentityFieldNames } from "../field/IdentityFieldNames.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { NoFields } from "../field/NoFields.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { ServiceId, ServiceIdRecord } from "../field/ServiceId.js"
import { shownText } from "../field/ShownText.js"
import { Timestamp } from "../field/Timestamp.js"
import { problems } from "../problem/ProblemDetails.js"

/** What a person is told the fields are for. */
export const Purpose = shownText(maxPurposeLength).annotate({
  examples: ["To deliver your order and to reach you about it."]
})

/** The body of `POST /v1/data-requests` (specification 4.2, contract 7). */
export const DataRequestForm = Schema.Struct({
  service_id: ServiceId,
  requested_fields: IdentityFieldNames,
  purpose: Schema.optionalKey(
    Purpose.annotateKey({
      description:
        "Shown to the person and kept with the grant. Default: the purpose that the platform has settled for you, " +
        "else a sentence with your name."
    })
  )
}).annotate({ identifier: "DataRequestForm" })

/** A data request as its merchant sees it. */
export const DataRequest = Schema.Struct({
  ...DataRequestRecord.fields,
  serviceId: ServiceIdRecord,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Schema.optionalKey(Timestamp),
  purpose: Schema.optionalKey(Schema.String.annotate({ description: "What the person is told." })),
  consentUrl: Schema.optionalKey(
    Schema.String.annotate({ description: "With a TEST key, when it is made: where to decide in the person's place." })
  )
}).annotate({ identifier: "DataRequest" })

const requestPath = { dataRequestId: Schema.String }

/** A merchant's questions to people (specification 4.2, contract 7). */
export class DataRequestsApi extends HttpApiGroup.make("dataRequests")
  .add(
    HttpApiEndpoint.post("create", "/v1/data-requests", {
      headers: idempotencyKeyHeader,
      payload: DataRequestForm,
      success: DataRequest.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Ask a person for identity fields",
        description:
          "The person decides on a hosted page, and may approve some of the fields. With a TEST key the answer has its " +
          "address, consentUrl; in LIVE it goes to the person alone. Fields that are granted already for the same purpose " +
          "are APPROVED at once, and nobody is asked. While the same fields are PENDING for the same purpose, that record " +
          "is the answer under any key. A repeated Idempotency-Key answers what was answered first, byte for byte.",
        codes: [
          "idempotency_key_required",
          "idempotency_key_invalid",
          "merchant_code_not_accepted",
          "consumer_not_found",
          "idempotency_key_reused",
          "asking_blocked",
          "asked_too_often",
          "asked_recently",
          "rate_limited"
        ]
      })
    ),
    HttpApiEndpoint.get("list", "/v1/data-requests", {
      query: {
        service_id: Schema.optionalKey(
          ServiceId.pipe(Schema.annotateEncoded({ description: "Only those to this person." }))
        ),
        ...pagingQuery
      },
      success: pageOf(DataRequest),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List data requests",
        description: "Newest first; to one person when service_id is given.",
        codes: ["merchant_code_not_accepted"]
      })
    ),
    HttpApiEndpoint.get("get", "/v1/data-requests/:dataRequestId", {
      params: requestPath,
      success: DataRequest,
      error: problems
    }).annotateMerge(documented({ summary: "Read a data request", codes: ["data_request_not_found"] })),
    HttpApiEndpoint.post("cancel", "/v1/data-requests/:dataRequestId/cancel", {
      params: requestPath,
      payload: NoFields,
      success: DataRequest.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Cancel a data request",
        description: "While it is PENDING. The person can no longer decide on it.",
        codes: ["data_request_not_found", "data_request_decided"],
        bodyOptional: true
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Data requests", description: "Ask people for identity fields." })) {}
