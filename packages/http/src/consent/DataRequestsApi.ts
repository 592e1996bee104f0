import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Purpose } from "@surety/core/input/ShownText"
import { ReturnState, ReturnUrl } from "@surety/core/merchant/ReturnUrl"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { NoFields } from "../field/NoFields.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { dataRequestRefusals } from "./ConsentRefusals.js"
import { DataRequestRecord } from "./DataRequestRecord.js"

/** The body of `POST /v1/data-requests` (specification 4.2, contract 7). */
export const DataRequestForm = Schema.Struct({
  service_id: ServiceId,
  requested_fields: IdentityFieldNames,
  purpose: Schema.optionalKey(
    Purpose.annotateKey({
      description:
        "Shown to the person and kept with the grant. Default: the purpose that the platform has set for you, " +
        "else a sentence with your name."
    })
  ),
  duration: Schema.optionalKey(
    GrantDuration.annotateKey({
      description:
        "How long you want to read: ONE_TIME (one read), or whole days. Default: as long as the platform " +
        "allows. The person may shorten it."
    })
  ),
  return_url: Schema.optionalKey(
    ReturnUrl.annotateKey({
      description: "Where the page leads the person back to: at or below one of your allowed return urls."
    })
  ),
  state: Schema.optionalKey(
    ReturnState.annotateKey({ description: "Returned unchanged as ?state= of return_url. Nothing else is added." })
  )
}).annotate({ identifier: "DataRequestForm" })

const requestPath = { dataRequestId: Schema.String }

/** Data requests of a merchant (specification 4.2, contract 7). */
export class DataRequestsApi extends HttpApiGroup.make("dataRequests")
  .add(
    HttpApiEndpoint.post("create", "/v1/data-requests", {
      headers: idempotencyKeyHeader,
      payload: DataRequestForm,
      success: DataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Ask a person for identity fields",
        description:
          "The person decides on a hosted page, and may approve some of the fields. With a TEST key, the response has its " +
          "address, consentUrl; in LIVE, only the person gets it. If all fields are already granted for the same purpose, " +
          "the request is APPROVED immediately. While the same fields are PENDING for the same purpose and duration, " +
          "any key returns that record, with the latest return_url and state. A repeated Idempotency-Key returns the first response, byte for byte.",
        refusals: dataRequestRefusals.create
      })
    ),
    HttpApiEndpoint.get("list", "/v1/data-requests", {
      query: {
        service_id: Schema.optionalKey(
          ServiceId.pipe(Schema.annotateEncoded({ description: "Only requests to this person." }))
        ),
        ...pagingQuery
      },
      success: pageOf(DataRequestRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List data requests",
        description: "Newest first; only requests to one person if service_id is given.",
        refusals: dataRequestRefusals.list
      })
    ),
    HttpApiEndpoint.get("get", "/v1/data-requests/:dataRequestId", {
      params: requestPath,
      success: DataRequestRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a data request",
        description: "With its status, and the grant once it is approved.",
        refusals: dataRequestRefusals.get
      })
    ),
    HttpApiEndpoint.post("cancel", "/v1/data-requests/:dataRequestId/cancel", {
      params: requestPath,
      payload: NoFields,
      success: DataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Cancel a data request",
        description: "While it is PENDING. The person can no longer decide on it.",
        bodyOptional: true,
        refusals: dataRequestRefusals.cancel
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Data requests", description: "Ask people for identity fields." })) {}
