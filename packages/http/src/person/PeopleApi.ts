import { Environment } from "@surety/core/Environment"
import { RightsRequestId, UserId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText } from "@surety/core/input/Text"
import { PersonExport } from "@surety/core/person/PersonExport"
import type { ErasuresExhausted } from "@surety/core/person/PersonStore"
import {
  longestNote,
  RightsRequestEnd,
  RightsRequestKind,
  RightsRequestStatus
} from "@surety/core/person/RightsRequest"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerNotFoundAt } from "../consent/ConsentRefusals.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { environmentPageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { ConsumerChangeRequest } from "../operator/OperatorConsumersApi.js"
import { secondOperatorNeeded } from "../operator/secondOperatorNeeded.js"
import { problem } from "../problem/Problem.js"
import { problems } from "../problem/ProblemDetails.js"
import { type RefusedAs, retryAfter, unavailable } from "../problem/Refusal.js"

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

const why = {
  environment: Schema.optionalKey(DefaultLive),
  reason: filledText(500).annotateKey({
    description: "Why, stored with the operator's action. Write no personal data into it."
  })
}

/** The body of an export, a restriction, the lifting of a restriction, or an erasure. */
export const RightsActRequest = Schema.Struct(why).annotate({ identifier: "PersonRightsRequest" })

export const ClosingRequest = Schema.Struct({
  ...why,
  status: RightsRequestEnd
}).annotate({ identifier: "RightsRequestClosing" })

/** The body that records a rights request made outside the person's page, such as by letter. */
export const RightsAskedRequest = Schema.Struct({
  environment: Schema.optionalKey(DefaultLive),
  serviceId: ServiceId,
  kind: RightsRequestKind,
  note: Schema.optionalKey(filledText(longestNote).annotateKey({ description: "What the person wrote or said." }))
}).annotate({ identifier: "RightsAskedRequest" })

/** A person after a restriction was set or lifted. `restrictedAt` is absent if no restriction is in force. */
export const PersonRecord = Schema.Struct({
  serviceId: ServiceIdRecord,
  userId: UserId,
  environment: Environment,
  restrictedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "Person" })

const KeptRecord = Schema.Struct({
  record: Schema.String.annotateKey({ description: "payments, refunds, receipts, …" }),
  count: Schema.Int,
  why: Schema.String,
  until: Schema.String
})

export const ErasureRecord = Schema.Struct({
  serviceId: ServiceIdRecord,
  environment: Environment,
  erasedAt: Timestamp,
  kept: Schema.Array(KeptRecord).annotateKey({ description: "What stays under a pseudonym, why, and until when." })
}).annotate({ identifier: "Erasure" })

export const RightsRequestRecord = Schema.Struct({
  id: RightsRequestId,
  serviceId: ServiceIdRecord,
  userId: UserId,
  environment: Environment,
  kind: RightsRequestKind,
  note: Schema.optionalKey(Schema.String.annotate({ description: "What the person wrote." })),
  status: RightsRequestStatus,
  isOverdue: Schema.Boolean,
  askedAt: Timestamp,
  dueAt: Timestamp,
  closedAt: Schema.optionalKey(Timestamp),
  closedBy: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RightsRequest" })

const personPath = { serviceId: Schema.String }

const knownPerson = { PersonNotFound: "person_not_found" } as const

export const holderFailed = unavailable<{ readonly message: string }>("service_unavailable", ({ message }) => message)

/**
 * `Retry-After`, in seconds, when the erasure limit is exhausted. Erasures are counted over the last 24 hours, so
 * another erasure may be allowed long before a day has passed.
 */
const anHour = 3_600

export const erasuresExhausted: RefusedAs<ErasuresExhausted> = {
  codes: ["erasures_exhausted"],
  problem: ({ message }) => problem("erasures_exhausted", { detail: message, headers: retryAfter(anHour) })
}

export const peopleRefusals = {
  export: { ...knownPerson, PersonDataUnavailable: holderFailed },
  exportPage: { ...knownPerson, PersonDataUnavailable: holderFailed },
  rectify: knownPerson,
  restrict: knownPerson,
  liftRestriction: knownPerson,
  erase: {
    ...knownPerson,
    PersonDataUnavailable: holderFailed,
    RefundsPending: "person_has_pending_refunds",
    ErasuresExhausted: erasuresExhausted,
    SecondOperatorRequired: secondOperatorNeeded
  },
  recordRightsRequest: { PersonNotFound: consumerNotFoundAt("serviceId") },
  listRightsRequests: {},
  closeRightsRequest: { RightsRequestNotFound: "rights_request_not_found" }
} as const

/** The operator's routes for data subject rights (contract 17). */
export class PeopleApi extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.post("export", "/operator/people/:serviceId/export", {
      params: personPath,
      payload: RightsActRequest,
      success: PersonExport.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Export all data held about a person",
        description:
          "Details, requests, grants, reads, receipts, verifications, payments, refunds and what merchants were sent. " +
          "Give it only to the person.",
        refusals: peopleRefusals.export
      })
    ),
    HttpApiEndpoint.post("exportPage", "/operator/people/:serviceId/export-page", {
      params: personPath,
      payload: RightsActRequest,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }), HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Export all data held about a person as a page to read and print",
        description: "Shows the export's content. The page has no script and loads nothing from other servers.",
        refusals: peopleRefusals.exportPage
      })
    ),
    HttpApiEndpoint.post("rectify", "/operator/people/:serviceId/rectify", {
      params: personPath,
      payload: ConsumerChangeRequest,
      success: ConsumerRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Correct a person's details",
        description:
          "Changes only the fields in the body; null removes a detail. The same as a correction of the consumer: the action keeps a keyed " +
          "hash of each old value, and every merchant with a grant in force for a changed field gets " +
          "merchant.identity.data_changed.",
        refusals: peopleRefusals.rectify
      })
    ),
    HttpApiEndpoint.post("restrict", "/operator/people/:serviceId/restrict", {
      params: personPath,
      payload: RightsActRequest,
      success: PersonRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Restrict the processing of a person's details",
        description:
          "Until it is lifted, reads get 403 consent_required and new data requests 403 asking_blocked. " +
          "Grants and money are not affected. Restricting again changes nothing.",
        refusals: peopleRefusals.restrict
      })
    ),
    HttpApiEndpoint.post("liftRestriction", "/operator/people/:serviceId/lift-restriction", {
      params: personPath,
      payload: RightsActRequest,
      success: PersonRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Lift a restriction",
        description: "Merchants may read again under active grants.",
        refusals: peopleRefusals.liftRestriction
      })
    ),
    HttpApiEndpoint.post("erase", "/operator/people/:serviceId/erase", {
      params: personPath,
      payload: RightsActRequest,
      success: ErasureRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Erase a person",
        description:
          "Permanent. Grants are revoked, pending requests cancelled, links and values removed; what must stay is under a " +
          "pseudonym. The identifier is never issued again. Repeating it returns the same result.",
        refusals: peopleRefusals.erase
      })
    ),
    HttpApiEndpoint.post("recordRightsRequest", "/operator/rights-requests", {
      payload: RightsAskedRequest,
      success: RightsRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Record a right that a person asked for elsewhere",
        description:
          "By letter or telephone. A request that is already open is returned unchanged, with its own deadline.",
        refusals: peopleRefusals.recordRightsRequest
      })
    ),
    HttpApiEndpoint.get("listRightsRequests", "/operator/rights-requests", {
      query: {
        environment: Schema.optionalKey(DefaultLive),
        status: Schema.optionalKey(RightsRequestStatus.annotateKey({ description: "Default: every status." })),
        ...pagingQuery
      },
      success: environmentPageOf(RightsRequestRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List rights requests",
        description: "Nearest deadline first.",
        refusals: peopleRefusals.listRightsRequests
      })
    ),
    HttpApiEndpoint.post("closeRightsRequest", "/operator/rights-requests/:rightsRequestId/close", {
      params: { rightsRequestId: Schema.String },
      payload: ClosingRequest,
      success: RightsRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Close a rights request",
        description:
          "Once the person has what they asked for, or the reason for the refusal. A closed request stays unchanged.",
        refusals: peopleRefusals.closeRightsRequest
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Operator: people's rights",
      description: "Export, correct, restrict and erase people."
    })
  ) {}
