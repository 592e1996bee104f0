import { Topic } from "@surety/core/event/DomainEvent"
import { EventId } from "@surety/core/Ids"
import { identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { listOf, pageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { DeliveryRecord, EventRecord, EventTypeRecord, eventArchived } from "./EventRecord.js"

export const ResendRequest = Schema.Struct({
  endpoint_id: Schema.optionalKey(
    identifierText(64).annotateKey({
      description: "One endpoint. Default: every enabled endpoint of the environment that wants the topic."
    })
  )
}).annotate({ identifier: "ResendRequest" })

export const ResendRecord = Schema.Struct({
  eventId: EventId,
  scheduled: Schema.Int.annotateKey({ description: "The number of endpoints to which the event is sent again." })
}).annotate({ identifier: "Resend" })

/**
 * `newest` (default): newest first, by event id and thus by creation time. `oldest`: by `sequence`, so that no event
 * ever appears before one already returned.
 */
const ListOrder = Schema.Literals(["newest", "oldest"])

const eventPath = { eventId: Schema.String }

const knownEvent = { EventNotFound: "event_not_found", EventArchived: eventArchived } as const

export const eventRefusals = {
  list: { EventArchived: eventArchived },
  get: knownEvent,
  deliveries: knownEvent,
  resend: { ...knownEvent, EndpointNotFound: "endpoint_not_found" },
  types: {}
} as const

/** Routes for a merchant's events, their deliveries, and the list of topics (contract 11). */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: { ...pagingQuery, topic: Schema.optionalKey(Topic), order: Schema.optionalKey(ListOrder) },
      success: pageOf(EventRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List events",
        description:
          "Newest first, of all topics or of one. With order=oldest, no event ever appears before one already listed, however " +
          "late it is committed. nextCursor is then present even on the last page: poll with it to get every event once. " +
          "It is the last event's id, so any event's id is a valid cursor. Test events are not listed.",
        refusals: eventRefusals.list
      })
    ),
    HttpApiEndpoint.get("get", "/v1/events/:eventId", {
      params: eventPath,
      success: EventRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read an event",
        description: "As it was delivered, with its payload.",
        refusals: eventRefusals.get
      })
    ),
    HttpApiEndpoint.get("deliveries", "/v1/events/:eventId/deliveries", {
      params: eventPath,
      success: listOf(DeliveryRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read an event's deliveries and their attempts",
        description: "One delivery for each endpoint to which the event is sent.",
        refusals: eventRefusals.deliveries
      })
    ),
    HttpApiEndpoint.post("resend", "/v1/events/:eventId/resend", {
      params: eventPath,
      payload: ResendRequest,
      success: ResendRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Send an event again",
        description: "Starts its deliveries from the beginning, with the same event id. The body is optional.",
        bodyOptional: true,
        refusals: eventRefusals.resend
      })
    ),
    HttpApiEndpoint.get("types", "/v1/event-types", {
      success: listOf(EventTypeRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List topics",
        description:
          "Every topic that an endpoint may name, with the JSON Schema of its payload. Only the five marked as " +
          "default are sent to an endpoint that names none.",
        refusals: eventRefusals.types
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "Events, and the outcome of their webhooks." })) {}
