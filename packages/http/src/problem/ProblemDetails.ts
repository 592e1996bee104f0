import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { problemCodes } from "./ProblemCode.js"

const Fault = Schema.Struct({
  pointer: Schema.optionalKey(
    Schema.String.annotate({
      description: "Where in the body: a JSON pointer as a url fragment (RFC 6901, section 6).",
      examples: ["#/items/0/amount"]
    })
  ),
  parameter: Schema.optionalKey(Schema.String.annotate({ description: "The path's or query's parameter." })),
  header: Schema.optionalKey(Schema.String.annotate({ description: "The request's header." })),
  detail: Schema.String.annotate({ description: "What is wrong there, for people." }),
  code: Schema.String.annotate({ description: "What is wrong there, for programs." })
}).annotate({ identifier: "Fault", description: "One thing wrong with a request, and where." })

/** The body of an error response of the API (RFC 9457, contract 12). */
export const ProblemDetails = Schema.Struct({
  type: Schema.String.annotate({
    format: "uri",
    description: "A url that identifies the problem's code and leads to its documentation."
  }),
  title: Schema.String.annotate({ description: "The same for every problem of this code." }),
  status: Schema.Int.annotate({ description: "The response's HTTP status." }),
  detail: Schema.String.annotate({ description: "What happened this time, for people." }),
  instance: Schema.String.annotate({ description: "The request's path." }),
  code: Schema.String.annotate({ description: "What happened, for programs. Stable." }),
  requestId: Schema.String.annotate({ description: "Quote it when you report a problem; also in X-Request-Id." }),
  errors: Schema.optionalKey(
    Schema.Array(Fault).annotate({ description: "Every fault found in the request, at most 100." })
  ),
  currency: Schema.optionalKey(Schema.String),
  original: Schema.optionalKey(
    Schema.Finite.annotate({ description: "amount_exceeds_refundable: the payment's amount." })
  ),
  refunded: Schema.optionalKey(Schema.Finite.annotate({ description: "amount_exceeds_refundable: what is refunded." })),
  refundable: Schema.optionalKey(Schema.Finite.annotate({ description: "amount_exceeds_refundable: what is left." })),
  merchantStatus: Schema.optionalKey(Schema.String),
  dataRequestStatus: Schema.optionalKey(Schema.String),
  allowed: Schema.optionalKey(Schema.Array(Schema.String)),
  field: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(Schema.Int),
  refundId: Schema.optionalKey(
    Schema.String.annotate({ description: "wallet_unavailable: the id of the pending refund." })
  ),
  refundStatus: Schema.optionalKey(Schema.String),
  requiredScope: Schema.optionalKey(
    Schema.String.annotate({ description: "scope_missing: the scope that the key lacks." })
  ),
  leftSeconds: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "Problem", description: "RFC 9457 problem details." })
export type ProblemDetails = typeof ProblemDetails.Type

export const problemContentType = "application/problem+json"

/** The statuses of all problem codes, ascending. Every endpoint of the API declares all of them. */
const statuses = [...new Set(Object.values(problemCodes).map(({ status }) => status))].sort((one, other) => one - other)

/** The error responses of every endpoint of the API. */
export const problems = statuses.map((status) =>
  ProblemDetails.pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: problemContentType }))
)
