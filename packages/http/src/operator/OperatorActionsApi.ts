import { Environment } from "@surety/core/Environment"
import { MerchantId, OperatorActionId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { identifierText, Moment } from "@surety/core/input/Text"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { ActionChange, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { documented } from "../docs/Documented.js"
import { listOf, pageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { problems } from "../problem/ProblemDetails.js"

/**
 * An operator action: who did what and when, and the reason if one was given. Some actions, such as an export, change
 * nothing.
 */
export const OperatorActionRecord = Schema.Struct({
  id: OperatorActionId,
  actor: Schema.String.annotateKey({ description: "The operator's name; operator for the deployment's own token." }),
  kind: OperatorActionKind,
  target: Schema.String.annotateKey({ description: "The id of the record that was changed." }),
  environment: Schema.optionalKey(Environment),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ServiceIdRecord),
  reason: Schema.optionalKey(Schema.String),
  changes: Schema.Array(
    ActionChange.annotate({
      description: "A personal field has neither value, only fromHash: a keyed hash of the old one."
    })
  ),
  at: Timestamp
}).annotate({ identifier: "OperatorAction" })

/** `from` is absent if the change is the merchant's creation. */
export const StatusChangeRecord = Schema.Struct({
  from: Schema.optionalKey(MerchantStatus),
  to: MerchantStatus,
  actor: Schema.String.annotateKey({
    description: "Who did it: applicant, an operator, or a user or system of the host."
  }),
  reason: Schema.optionalKey(Schema.String),
  at: Timestamp
}).annotate({ identifier: "MerchantStatusChange" })

export const operatorActionRefusals = {
  listActions: {},
  merchantHistory: { MerchantNotFound: "merchant_not_found" }
} as const

const filter = {
  actor: Schema.optionalKey(identifierText(64)),
  kind: Schema.optionalKey(OperatorActionKind),
  target: Schema.optionalKey(identifierText(128)),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ServiceId),
  from: Schema.optionalKey(Moment.annotateKey({ description: "From this time on." })),
  to: Schema.optionalKey(Moment.annotateKey({ description: "Before this time." }))
}

/** Routes that list operator actions and a merchant's status changes (contract 15.2). */
export class OperatorActionsApi extends HttpApiGroup.make("operatorActions")
  .add(
    HttpApiEndpoint.get("listActions", "/operator/actions", {
      query: { ...filter, ...pagingQuery },
      success: pageOf(OperatorActionRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List operators' actions",
        description: "Newest first, in both environments: each change with who made it, why and when.",
        refusals: operatorActionRefusals.listActions
      })
    ),
    HttpApiEndpoint.get("merchantHistory", "/operator/merchants/:merchantId/history", {
      params: { merchantId: Schema.String },
      success: listOf(StatusChangeRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a merchant's history",
        description: "Every change of its status, oldest first, with actor and reason.",
        refusals: operatorActionRefusals.merchantHistory
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({ title: "Operator: actions", description: "What operators did, stored with each change." })
  ) {}
