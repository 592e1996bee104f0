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
      description: "The environment whose events it gets. Default: LIVE when the merchant is ACTIVE, else TEST."
    })
  ),
  topics: Schema.optionalKey(
    Topics.annotateKey({ description: "Default: those that `GET /v1/event-types` marks as default." })
  ),
  maxPerSecond: Schema.optionalKey(
    DeliveryRate.annotateKey({
      description: "The maximum number of deliveries that may begin there per second. Default: no limit."
    })
  )
}).annotate({ identifier: "WebhookEndpointRegistration" })

export const EndpointChangeRequest = Schema.Struct({
  url: Schema.optionalKey(WebUrl),
  topics: Schema.optionalKey(Topics),
  status: Schema.optionalKey(
    EndpointStatus.annotateKey({
      description: "ENABLED sends the pending deliveries; DISABLED sends nothing more."
    })
  ),
  maxPerSecond: Schema.optionalKey(
    Schema.NullOr(DeliveryRate).annotateKey({
      description: "The maximum number of deliveries that may begin there per second; null removes the limit."
    })
  ),
  recover: Schema.optionalKey(
    Schema.Union([Schema.Literal(true), Moment]).annotateKey({
      description:
        "Only with status ENABLED: also sends the events that the endpoint missed. true: since it was disabled or began " +
        "to fail; a time: what was recorded from then on."
    })
  )
}).annotate({ identifier: "WebhookEndpointChange" })

/**
 * The body of a secret rotation. The old secret stays valid alongside the new one for `overlapSeconds`; send 0 if the
 * old one leaked.
 */
export const RotationRequest = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    OverlapSeconds.annotateKey({ description: "Seconds for which the previous secret stays in force. Default 86400." })
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
  due: Schema.Int.annotateKey({ description: "The number of events that are due again." })
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
        description: "Only this response contains the signing secret. A merchant has at most 16 endpoints.",
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
        description: "Changes only the fields in the body.",
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
        description: "Its pending deliveries are not sent.",
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
        description: "Only this response contains the new secret. The body is optional.",
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
          "Sends a signed sample of a topic to this endpoint alone, in its environment, like any event. It " +
          "has the header X-Service-Test, amounts of 0, and ids of no record. It is in no list of events. Read its delivery " +
          "like any event's deliveries. The body is optional.",
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
          "Sends the events of a time range that the endpoint wants and did not get: those whose delivery has failed, " +
          "and those that were recorded while it was disabled or not yet registered. Deliveries that are still being " +
          "attempted are unchanged. An event whose delivery is no longer kept (90 days by default) is sent again. Enable " +
          "a disabled endpoint first.",
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
