import { DenialReason } from "@surety/core/consent/request/DataRequest"
import { Environment } from "@surety/core/Environment"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Purpose } from "@surety/core/input/ShownText"
import { identifierText, Moment, text } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { GetOnly } from "../access/MerchantAccess.js"
import { OperatorAccess } from "../access/OperatorAccess.js"
import {
  consentBlocked,
  consentInputInvalid,
  consumerNotFoundAt,
  decisionRefusals
} from "../consent/ConsentRefusals.js"
import { OperatorGrantRecord } from "../consent/GrantRecord.js"
import { documented } from "../docs/Documented.js"
import { environmentPageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { merchantNotActive } from "../merchant/MerchantRefusals.js"
import { problems } from "../problem/ProblemDetails.js"
import { always } from "../problem/Refusal.js"
import {
  AskingBlockRecord,
  IdentityReadRecord,
  OperatorDataRequestRecord,
  PendingDataRequestRecord,
  ReceiptRecord
} from "./ConsentRecords.js"
import { operatorNotFound } from "./operatorNotFound.js"

const acting = {
  actor: Schema.optionalKey(
    identifierText(128).annotateKey({
      description: "Your own name for the user or system that acts, kept with the receipt. No personal value."
    })
  )
}

export const ApprovalRequest = Schema.Struct({
  fields: Schema.optionalKey(
    IdentityFieldNames.pipe(
      Schema.annotateEncoded({ description: "Of the requested fields, those that may be read. Default: all." })
    )
  ),
  ...acting
}).annotate({ identifier: "ApprovalRequest" })

export const DenialRequest = Schema.Struct({
  reason: Schema.optionalKey(
    DenialReason.annotateKey({ description: "NOT_ME: the person does not know the merchant. Default DECLINED." })
  ),
  ...acting
}).annotate({ identifier: "DenialRequest" })

/**
 * Maximum lifetime, in days, that an operator may choose for a management link. Equal to the default duration of a
 * grant.
 */
const longestLinkDays = 180

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

export const GrantRequest = Schema.Struct({
  merchantId: identifierText(64),
  environment: Schema.optionalKey(DefaultLive),
  serviceId: ServiceId,
  fields: IdentityFieldNames,
  purpose: Schema.optionalKey(
    Purpose.annotateKey({ description: "Default: the merchant's own, else a sentence with its name." })
  ),
  expiresAt: Schema.optionalKey(Moment.pipe(Schema.annotateEncoded({ description: "Default: 180 days from now." }))),
  ...acting
}).annotate({ identifier: "GrantRequest" })

export const RevocationRequest = Schema.Struct({
  reason: Schema.optionalKey(text(500).annotateKey({ description: "Kept with the grant." })),
  ...acting
}).annotate({ identifier: "RevocationRequest" })

export const ConsentLinkRequest = Schema.Struct({
  serviceId: ServiceId,
  environment: Schema.optionalKey(DefaultLive),
  days: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestLinkDays }, { code: "out_of_range" })).annotateKey({
      description: "Days for which the link works. Default 7."
    })
  )
}).annotate({ identifier: "ConsentLinkRequest" })

const ConsentLinkRecord = Schema.Struct({
  serviceId: ServiceIdRecord,
  environment: Environment,
  url: Schema.String.annotateKey({ description: "For the person only. Shown only once." }),
  expiresAt: Timestamp
}).annotate({ identifier: "ConsentLink" })

const requestPath = { dataRequestId: Schema.String }

const environmentQuery = { environment: Schema.optionalKey(DefaultLive), ...pagingQuery }

const personQuery = { userId: Schema.optionalKey(identifierText(128)), ...environmentQuery }

const listQuery = { merchantId: Schema.optionalKey(identifierText(64)), ...personQuery }

const newestFirst = "Newest first; only one merchant's or one person's if given."

const knownMerchant = { MerchantNotFound: "merchant_not_found" } as const

const decided = { ...decisionRefusals, DataRequestNotFound: always(operatorNotFound.dataRequest) } as const

export const operatorConsentRefusals = {
  listPendingDataRequests: {},
  listDisownedDataRequests: {},
  listDataRequests: {},
  approveDataRequest: {
    ...decided,
    ConsentRequestInvalid: consentInputInvalid,
    MerchantNotActive: merchantNotActive,
    AskingBlocked: consentBlocked
  },
  denyDataRequest: decided,
  grant: {
    ...knownMerchant,
    ConsentRequestInvalid: consentInputInvalid,
    ConsumerNotFound: consumerNotFoundAt("serviceId"),
    MerchantNotActive: merchantNotActive,
    AskingBlocked: consentBlocked
  },
  listGrants: {},
  revokeGrant: { GrantNotFound: always(operatorNotFound.grant) },
  issueConsentLink: { ConsumerNotFound: consumerNotFoundAt("serviceId") },
  listIdentityReads: {},
  listAskingBlocks: knownMerchant,
  liftAskingBlock: { ...knownMerchant, AskingBlockNotFound: "asking_block_not_found" },
  listReceipts: knownMerchant
} as const

/** Operators' consent routes, for example to decide a data request or revoke a grant for a person (contract 7, 15). */
export class OperatorConsentApi extends HttpApiGroup.make("operatorConsent")
  .add(
    HttpApiEndpoint.get("listPendingDataRequests", "/operator/data-requests/pending", {
      query: environmentQuery,
      success: environmentPageOf(PendingDataRequestRecord),
      error: problems
    })
      .annotate(GetOnly, true)
      .annotateMerge(
        documented({
          summary: "List requests that wait for a decision",
          description:
            "Newest first. Each has the link on which the person decides, unless a notifier sends it. The " +
            "bearer of a link decides.",
          refusals: operatorConsentRefusals.listPendingDataRequests
        })
      ),
    HttpApiEndpoint.get("listDisownedDataRequests", "/operator/data-requests/disowned", {
      query: environmentQuery,
      success: environmentPageOf(OperatorDataRequestRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List requests denied as not meant for the person",
        description: "Newest first. A person who does not know the merchant is a sign of fraud: look into it.",
        refusals: operatorConsentRefusals.listDisownedDataRequests
      })
    ),
    HttpApiEndpoint.get("listDataRequests", "/operator/data-requests", {
      query: listQuery,
      success: environmentPageOf(OperatorDataRequestRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List data requests",
        description: newestFirst,
        refusals: operatorConsentRefusals.listDataRequests
      })
    ),
    HttpApiEndpoint.post("approveDataRequest", "/operator/data-requests/:dataRequestId/approve", {
      params: requestPath,
      payload: ApprovalRequest,
      success: OperatorDataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Approve a data request",
        description: "For a person who has agreed elsewhere. The body is optional.",
        bodyOptional: true,
        refusals: operatorConsentRefusals.approveDataRequest
      })
    ),
    HttpApiEndpoint.post("denyDataRequest", "/operator/data-requests/:dataRequestId/deny", {
      params: requestPath,
      payload: DenialRequest,
      success: OperatorDataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Deny a data request",
        description: "The merchant does not see the reason. The body is optional.",
        bodyOptional: true,
        refusals: operatorConsentRefusals.denyDataRequest
      })
    ),
    HttpApiEndpoint.post("grant", "/operator/grants", {
      payload: GrantRequest,
      success: OperatorGrantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create a grant without a request",
        description: "For a person who has agreed elsewhere. Emits merchant.identity.consent_granted.",
        refusals: operatorConsentRefusals.grant
      })
    ),
    HttpApiEndpoint.get("listGrants", "/operator/grants", {
      query: listQuery,
      success: environmentPageOf(OperatorGrantRecord),
      error: problems
    }).annotateMerge(
      documented({ summary: "List grants", description: newestFirst, refusals: operatorConsentRefusals.listGrants })
    ),
    HttpApiEndpoint.post("revokeGrant", "/operator/grants/:grantId/revoke", {
      params: { grantId: Schema.String },
      payload: RevocationRequest,
      success: OperatorGrantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Revoke a grant",
        description: "Reading stops with the next call. A grant that has already ended is returned unchanged.",
        bodyOptional: true,
        refusals: operatorConsentRefusals.revokeGrant
      })
    ),
    HttpApiEndpoint.post("issueConsentLink", "/operator/consent-links", {
      payload: ConsentLinkRequest,
      success: ConsentLinkRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create a management link for a person",
        description: "Its bearer sees and revokes the person's consents to all merchants: give it to the person only.",
        refusals: operatorConsentRefusals.issueConsentLink
      })
    ),
    HttpApiEndpoint.get("listIdentityReads", "/operator/identity-reads", {
      query: listQuery,
      success: environmentPageOf(IdentityReadRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List reads of identity fields",
        description: newestFirst,
        refusals: operatorConsentRefusals.listIdentityReads
      })
    ),
    HttpApiEndpoint.get("listAskingBlocks", "/operator/merchants/:merchantId/asking-blocks", {
      params: { merchantId: Schema.String },
      query: environmentQuery,
      success: environmentPageOf(AskingBlockRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List the people whom a merchant may not ask",
        description: "Newest first: people who said that they do not know the merchant, or who want it to stop asking.",
        refusals: operatorConsentRefusals.listAskingBlocks
      })
    ),
    HttpApiEndpoint.delete("liftAskingBlock", "/operator/merchants/:merchantId/asking-blocks/:serviceId", {
      params: { merchantId: Schema.String, serviceId: Schema.String },
      query: { environment: environmentQuery.environment },
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Lift an asking block",
        description: "The merchant may then ask the person again. Make sure that the person wants this.",
        refusals: operatorConsentRefusals.liftAskingBlock
      })
    ),
    HttpApiEndpoint.get("listReceipts", "/operator/merchants/:merchantId/receipts", {
      params: { merchantId: Schema.String },
      query: personQuery,
      success: environmentPageOf(ReceiptRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List a merchant's consent receipts",
        description: "In the form of ISO/IEC TS 27560. The newest of the chain comes first.",
        refusals: operatorConsentRefusals.listReceipts
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({ title: "Operator: consent", description: "What people have been asked, and have allowed." })
  ) {}
