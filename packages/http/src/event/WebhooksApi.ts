import { Environment } from "@surety/core/Environment"
import { Topic } from "@surety/core/event/DomainEvent"
import { EndpointStatus } from "@surety/core/event/WebhookEndpoint"
import { WebUrl } from "@surety/core/input/Addresses"
import { Moment } from "@surety/core/input/Text"
import { DeliveryRate, OverlapSeconds, Topics } from "@surety/core/input/WebhookFields"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ProvisioningAccess } from "../access/OperatorAccess.js"
import { documented } from "../docs/Documented.js"
import { listOf } from "../field/Paging.js"
import { merchantNotActive, targetNotAllowed, tooManyEndpoints } from "../merchant/MerchantRefusals.js"
import { problems } from "../problem/ProblemDetails.js"
import { ChangedEndpointRecord, EndpointRecord, NewEndpointRecord } from "./EndpointRecord.js"
import { eventArchived, TestEventRecord } from "./EventRecord.js"

export const EndpointRegistrationRequest = Schema.Struct({
  url: WebUrl,
  environment: Schema.optionalKey(
    Environment.annotateKey({
      description: "Whose events it gets. Default: LIVE when the merchant is ACTIVE, else TEST."
    })
  ),
  topics: Schema.optionalKey(
    Topics.annotateKey({ description: "Default: those that `GET /v1/event-types` marks as default." })
  ),
  maxPerSecond: Schema.optionalKey(
    DeliveryRate.annotateKey({
      description: "How many deliveries may begin there within a second. Default: no such limit."
    })
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
    Schema.NullOr(DeliveryRate).annotateKey({
      description: "How many deliveries may begin there within a second; null: no such limit any more."
    })
  ),
  recover: Schema.optionalKey(
    Schema.Union([Schema.Literal(true), Moment]).annotateKey({
      description:
        "With status ENABLED alone: sends what the endpoint missed, too. true: since it was disabled or began to fail; " +
        "a time: what was recorded from then on."
    })
  )
}).annotate({ identifier: "WebhookEndpointChange" })

/**
 * The body of a secret rotation. The old secret stays valid alongside the new one for `overlapSeconds`; send 0 if the
 * old one leaked.
 */
export const RotationRequest = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    OverlapSeconds.annotateKey({ description: "How long the secret before stays in force. Default 86400." })
  )
}).annotate({ identifier: "SecretRotation" })

export const TestEventRequest = Schema.Struct({
  topic: Schema.optionalKey(
    Topic.annotateKey({ description: "Default: refund.completed, or the first topic that the endpoint wants." })
  )
}).annotate({ identifier: "WebhookTest" })

/**
 * The body of `POST /merchants/{id}/webhooks/{endpointId}/recover`: the range in which events were recorded, from
 * `since` (inclusive) to `until` (exclusive).
 */
export const RecoveryRequest = Schema.Struct({
  since: Moment,
  until: Schema.optionalKey(Moment.pipe(Schema.annotateEncoded({ description: "Default: now." })))
}).annotate({ identifier: "WebhookRecovery" })

const RecoveryRecord = Schema.Struct({
  due: Schema.Int.annotateKey({ description: "How many events are due again." })
}).annotate({ identifier: "WebhookRecoveryResult" })

const merchantPath = { merchantId: Schema.String }
const endpointPath = { ...merchantPath, endpointId: Schema.String }

const openEndpoint = {
  MerchantNotFound: "merchant_not_found",
  MerchantNotActive: merchantNotActive,
  EndpointNotFound: "endpoint_not_found"
} as const

const knownEndpoint = { MerchantNotFound: "merchant_not_found", EndpointNotFound: "endpoint_not_found" } as const

const enabledEndpoint = { ...openEndpoint, EndpointDisabled: "endpoint_disabled" } as const

export const webhookRefusals = {
  register: {
    TargetNotAllowed: targetNotAllowed,
    MerchantNotFound: "merchant_not_found",
    MerchantNotActive: merchantNotActive,
    TooManyEndpoints: tooManyEndpoints
  },
  list: { MerchantNotFound: "merchant_not_found" },
  get: knownEndpoint,
  update: { ...openEndpoint, TargetNotAllowed: targetNotAllowed, EventArchived: eventArchived },
  remove: knownEndpoint,
  rotateSecret: openEndpoint,
  test: enabledEndpoint,
  recover: { ...enabledEndpoint, EventArchived: eventArchived }
} as const

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
        refusals: webhookRefusals.register
      })
    ),
    HttpApiEndpoint.get("list", "/merchants/:merchantId/webhooks", {
      params: merchantPath,
      success: listOf(EndpointRecord),
      error: problems
    }).annotateMerge(
      documented({ summary: "List webhook endpoints", description: "Oldest first.", refusals: webhookRefusals.list })
    ),
    HttpApiEndpoint.get("get", "/merchants/:merchantId/webhooks/:endpointId", {
      params: endpointPath,
      success: EndpointRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a webhook endpoint",
        description: "With its topics and status. The secret is not shown again.",
        refusals: webhookRefusals.get
      })
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
        refusals: webhookRefusals.update
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
        refusals: webhookRefusals.remove
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
        bodyOptional: true,
        refusals: webhookRefusals.rotateSecret
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
        bodyOptional: true,
        refusals: webhookRefusals.test
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
          "that were recorded while it was disabled or not yet registered. What is still being attempted stays as it is. " +
          "An event whose delivery is no longer kept (90 days by default) is sent again. Enable a disabled endpoint first.",
        refusals: webhookRefusals.recover
      })
    )
  )
  .middleware(ProvisioningAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "The url that receives a merchant's events. Provisioning: takes no merchant key."
    })
  ) {}
