import { Environment } from "@surety/core/Environment"
import { Topic, topics } from "@surety/core/event/DomainEvent"
import { EndpointStatus, highestRate } from "@surety/core/event/WebhookEndpoint"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ProvisioningAccess } from "../access/OperatorAccess.js"
import { documented } from "../docs/Documented.js"
import { atLeastItems, atMostItems } from "../field/ListLength.js"
import { Moment } from "../field/Moment.js"
import { listOf } from "../field/Paging.js"
import { WebUrl } from "../field/WebUrl.js"
import { problems } from "../problem/ProblemDetails.js"
import { ChangedEndpointRecord, EndpointRecord, NewEndpointRecord } from "./EndpointRecord.js"
import { TestEventRecord } from "./EventRecord.js"

const Topics = Schema.Array(Topic).check(atLeastItems(1), atMostItems(topics.length))

const Rate = Schema.Finite.check(
  Schema.makeFilter((rate: number) => Number.isInteger(rate) && rate >= 1 && rate <= highestRate, {
    expected: `a whole number from 1 to ${highestRate}`,
    code: "out_of_range",
    toJsonSchema: () => ({ type: "integer", minimum: 1, maximum: highestRate })
  })
)

/** The body of `POST /merchants/{id}/webhooks`. */
export const EndpointRegistrationRequest = Schema.Struct({
  url: WebUrl,
  environment: Schema.optionalKey(
    Environment.annotateKey({
      description: "Whose events it gets. Default: LIVE when the merchant is ACTIVE, else TEST."
    })
  ),
  topics: Schema.optionalKey(Topics.annotateKey({ description: "Default: all five." })),
  maxPerSecond: Schema.optionalKey(
    Rate.annotateKey({ description: "How many deliveries may begin there within a second. Default: no such limit." })
  )
}).annotate({ identifier: "WebhookEndpointRegistration" })

export const EndpointChangeRequest = Schema.Struct({
  url: Schema.optionalKey(WebUrl),
  topics: Schema.optionalKey(Topics),
  status: Schema.optionalKey(
    EndpointStatus.annotateKey({
      description: "ENABLED sends what has been waiting; DISABLED sends nothing more."
    })
  ),
  maxPerSecond: Schema.optionalKey(
    Schema.NullOr(Rate).annotateKey({
      description: "How many deliveries may begin there within a second; null: no such limit any more."
    })
  ),
  recover: Schema.optionalKey(
    Schema.Union([Schema.Literal(true), Moment]).annotateKey({
      description:
        "With status ENABLED alone: sends what the endpoint missed, too. true: since it was disabled or began to fail; " +
        "a time: what happened from then on."
    })
  )
}).annotate({ identifier: "WebhookEndpointChange" })

const maxOverlapSeconds = 604_800

/** How long both secrets are in force after a rotation, in seconds; 0 for a leaked one. */
export const RotationRequest = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Finite.check(
      Schema.makeFilter(
        (seconds: number) => Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds,
        {
          expected: `a whole number from 0 to ${maxOverlapSeconds}`,
          code: "out_of_range",
          toJsonSchema: () => ({ type: "integer", minimum: 0, maximum: maxOverlapSeconds })
        }
      )
    ).annotateKey({ description: "How long the secret before stays in force. Default 86400." })
  )
}).annotate({ identifier: "SecretRotation" })

/** Which topic a test event has. */
export const TestEventRequest = Schema.Struct({
  topic: Schema.optionalKey(
    Topic.annotateKey({ description: "Default: refund.completed, or the first topic that the endpoint wants." })
  )
}).annotate({ identifier: "WebhookTest" })

/** Which events an endpoint is to get that it did not: those that happened from `since` up to, but without, `until`. */
export const RecoveryRequest = Schema.Struct({
  since: Moment,
  until: Schema.optionalKey(Moment.pipe(Schema.annotateEncoded({ description: "Default: now." })))
}).annotate({ identifier: "WebhookRecovery" })

const RecoveryRecord = Schema.Struct({
  due: Schema.Int.annotateKey({ description: "How many events are due again." })
}).annotate({ identifier: "WebhookRecoveryResult" })

const merchantPath = { merchantId: Schema.String }
const endpointPath = { ...merchantPath, endpointId: Schema.String }

/** Merchants' webhook endpoints (specification 4.3, contract 4 and 11). */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("register", "/merchants/:merchantId/webhooks", {
      params: merchantPath,
      payload: EndpointRegistrationRequest,
      success: NewEndpointRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Register a webhook endpoint",
        description: "The answer has the signing secret, this once. A merchant has at most 16 endpoints.",
        codes: ["webhook_url_not_allowed", "merchant_not_found", "merchant_not_active", "too_many_endpoints"]
      })
    ),
    HttpApiEndpoint.get("list", "/merchants/:merchantId/webhooks", {
      params: merchantPath,
      success: listOf(EndpointRecord),
      error: problems
    }).annotateMerge(
      documented({ summary: "List webhook endpoints", description: "Oldest first.", codes: ["merchant_not_found"] })
    ),
    HttpApiEndpoint.get("get", "/merchants/:merchantId/webhooks/:endpointId", {
      params: endpointPath,
      success: EndpointRecord,
      error: problems
    }).annotateMerge(
      documented({ summary: "Read a webhook endpoint", codes: ["merchant_not_found", "endpoint_not_found"] })
    ),
    HttpApiEndpoint.patch("update", "/merchants/:merchantId/webhooks/:endpointId", {
      params: endpointPath,
      payload: EndpointChangeRequest,
      success: ChangedEndpointRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Change a webhook endpoint",
        description: "Changes the fields that are sent.",
        codes: ["webhook_url_not_allowed", "merchant_not_found", "merchant_not_active", "endpoint_not_found"]
      })
    ),
    HttpApiEndpoint.delete("remove", "/merchants/:merchantId/webhooks/:endpointId", {
      params: endpointPath,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Remove a webhook endpoint",
        description: "What was still to be sent to it is not sent.",
        codes: ["merchant_not_found", "endpoint_not_found"]
      })
    ),
    HttpApiEndpoint.post("rotateSecret", "/merchants/:merchantId/webhooks/:endpointId/rotate-secret", {
      params: endpointPath,
      payload: RotationRequest,
      success: NewEndpointRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Rotate a webhook endpoint's secret",
        description: "The answer has the new secret, this once. The body may be left out.",
        codes: ["merchant_not_found", "merchant_not_active", "endpoint_not_found"],
        bodyOptional: true
      })
    ),
    HttpApiEndpoint.post("test", "/merchants/:merchantId/webhooks/:endpointId/test", {
      params: endpointPath,
      payload: TestEventRequest,
      success: TestEventRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Send a test event",
        description:
          "Sends a signed sample of a topic to this endpoint alone, in its environment, by the same way as every event. It " +
          "has the header X-Service-Test, amounts of 0, and ids that name nothing; it stands in no list of events. Its " +
          "delivery is read as an event's deliveries are. The body may be left out.",
        codes: ["merchant_not_found", "merchant_not_active", "endpoint_not_found", "endpoint_disabled"],
        bodyOptional: true
      })
    ),
    HttpApiEndpoint.post("recover", "/merchants/:merchantId/webhooks/:endpointId/recover", {
      params: endpointPath,
      payload: RecoveryRequest,
      success: RecoveryRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Send what an endpoint missed",
        description:
          "Sends the events of a time range that it wants and did not get: those whose delivery has failed, and those " +
          "that happened while it was disabled or not yet registered. What is still being attempted stays as it is. " +
          "Enable a disabled endpoint first.",
        codes: ["merchant_not_found", "merchant_not_active", "endpoint_not_found", "endpoint_disabled"]
      })
    )
  )
  .middleware(ProvisioningAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Where a merchant is told of its events. Provisioning: takes no merchant key."
    })
  ) {}
