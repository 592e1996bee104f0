import { identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { Timestamp } from "../field/Timestamp.js"
import { problems } from "../problem/ProblemDetails.js"

/** An entry of the merchant's request log. Contains nothing from the request's path parameters, query or body. */
export const RequestRecord = Schema.Struct({
  method: Schema.String,
  route: Schema.optionalKey(
    Schema.String.annotateKey({
      description: "The route's template, without values. Absent if there is no such route."
    })
  ),
  status: Schema.Int,
  code: Schema.optionalKey(Schema.String.annotateKey({ description: "The problem's code, if it was refused." })),
  requestId: Schema.String,
  keyLast4: Schema.String.annotateKey({ description: "The last four characters of the key that was used." }),
  at: Timestamp
}).annotate({ identifier: "RequestEntry" })

const StatusFilter = Schema.String.check(
  Schema.isPattern(/^[1-5]\d\d$/u, { expected: "an HTTP status, from 100 to 599", code: "out_of_range" })
).annotate({ description: "Only requests whose response has this HTTP status." })

/** The merchant's request log in its API key's environment. */
export class RequestsApi extends HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("list", "/v1/requests", {
      query: {
        ...pagingQuery,
        status: Schema.optionalKey(StatusFilter),
        route: Schema.optionalKey(
          identifierText(256).pipe(
            Schema.annotateEncoded({ description: "Only requests of this route's template: /v1/refunds/:refundId." })
          )
        )
      },
      success: pageOf(RequestRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List your requests",
        description:
          "The requests of the last 7 days with a valid key of this environment, newest first: the route and the response's " +
          "status, without any value that was sent. An entry appears within seconds; a crash may lose the latest entries.",
        refusals: {}
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Requests", description: "What your servers sent." })) {}
