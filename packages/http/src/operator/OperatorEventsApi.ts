import { Environment } from "@surety/core/Environment"
import { DeliveryStatus } from "@surety/core/event/Delivery"
import { Topic } from "@surety/core/event/DomainEvent"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { documented } from "../docs/Documented.js"
import { DeliveryRecord, EventRecord, eventArchived, OperatorDeliveryRecord } from "../event/EventRecord.js"
import { ResendRecord } from "../event/EventsApi.js"
import { environmentListOf, environmentPageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { always } from "../problem/Refusal.js"
import { operatorNotFound } from "./operatorNotFound.js"

export const OperatorResendRequest = Schema.Struct({
  endpointId: Schema.optionalKey(
    identifierText(64).annotateKey({
      description: "One endpoint. Default: every enabled endpoint of the event's environment that wants the topic."
    })
  )
}).annotate({ identifier: "OperatorResendRequest" })

const environmentQuery = {
  environment: Schema.optionalKey(Environment.annotateKey({ description: "Default LIVE." }))
}

const merchantPath = { merchantId: Schema.String }
const eventPath = { ...merchantPath, eventId: Schema.String }

const knownMerchant = { MerchantNotFound: "merchant_not_found" } as const

const knownEvent = {
  ...knownMerchant,
  EventNotFound: always(operatorNotFound.event),
  EventArchived: eventArchived
} as const

export const operatorEventRefusals = {
  listEvents: knownMerchant,
  listDeliveries: knownEvent,
  listAllDeliveries: {},
  resendEvent: { ...knownEvent, EndpointNotFound: "endpoint_not_found" }
} as const

/** Operators' routes that list merchants' events and deliveries, and send an event again (contract 15). */
export class OperatorEventsApi extends HttpApiGroup.make("operatorEvents")
  .add(
    HttpApiEndpoint.get("listEvents", "/operator/merchants/:merchantId/events", {
      params: merchantPath,
      query: { ...environmentQuery, ...pagingQuery, topic: Schema.optionalKey(Topic) },
      success: environmentPageOf(EventRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List a merchant's events",
        description: "Newest first, of all topics or of one.",
        refusals: operatorEventRefusals.listEvents
      })
    ),
    HttpApiEndpoint.get("listDeliveries", "/operator/merchants/:merchantId/events/:eventId/deliveries", {
      params: eventPath,
      query: environmentQuery,
      success: environmentListOf(DeliveryRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read an event's deliveries and their attempts",
        description: "One delivery for each endpoint to which the event is sent.",
        refusals: operatorEventRefusals.listDeliveries
      })
    ),
    HttpApiEndpoint.get("listAllDeliveries", "/operator/deliveries", {
      query: {
        ...environmentQuery,
        status: Schema.optionalKey(DeliveryStatus),
        merchantId: Schema.optionalKey(MerchantId),
        endpointId: Schema.optionalKey(EndpointId),
        ...pagingQuery
      },
      success: environmentPageOf(OperatorDeliveryRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List deliveries of all merchants",
        description:
          "Those of the newest event first; only of one status, merchant or endpoint if given. An event's own list of " +
          "deliveries has their attempts, and its resend takes an endpoint.",
        refusals: operatorEventRefusals.listAllDeliveries
      })
    ),
    HttpApiEndpoint.post("resendEvent", "/operator/merchants/:merchantId/events/:eventId/resend", {
      params: eventPath,
      query: environmentQuery,
      payload: OperatorResendRequest,
      success: ResendRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Send a merchant's event again",
        description: "Starts its deliveries from the beginning, with the same event id. The body is optional.",
        bodyOptional: true,
        refusals: operatorEventRefusals.resendEvent
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({ title: "Operator: events", description: "The outcome of merchants' webhooks." })
  ) {}
