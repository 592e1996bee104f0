import { Environment } from "@surety/core/Environment"
import { Topic } from "@surety/core/event/DomainEvent"
import { EndpointStatus, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointWithSecret } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { Redacted, Schema } from "effect"
import { Timestamp } from "../field/Timestamp.js"

const shared = {
  id: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  maxPerSecond: Schema.optionalKey(
    Schema.Int.annotate({ description: "The maximum number of deliveries that begin there per second." })
  ),
  createdAt: Timestamp
}

export const EndpointRecord = Schema.Struct({
  ...shared,
  disabledReason: Schema.optionalKey(Schema.String.annotate({ description: "Why it was disabled." })),
  disabledAt: Schema.optionalKey(Timestamp),
  failingSince: Schema.optionalKey(Timestamp),
  updatedAt: Timestamp
}).annotate({ identifier: "WebhookEndpoint" })

export const ChangedEndpointRecord = Schema.Struct({
  ...EndpointRecord.fields,
  recovered: Schema.optionalKey(
    Schema.Int.annotate({ description: "If recovery was requested: the number of events that are due again." })
  )
}).annotate({ identifier: "ChangedWebhookEndpoint" })

export const NewEndpointRecord = Schema.Struct({
  ...shared,
  secret: Schema.String.annotateKey({
    description: "Shown only once. The key of X-Service-Signature is this whole string in UTF-8.",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
  }),
  previousSecretExpiresAt: Schema.optionalKey(
    Timestamp.annotateKey({
      description:
        "After a rotation: until when the previous secret stays in force. Absent if there is no previous one, as after " +
        "registration."
    })
  )
}).annotate({ identifier: "NewWebhookEndpoint" })

const sharedOf = ({ createdAt, environment, id, maxPerSecond, merchantId, status, topics, url }: WebhookEndpoint) => ({
  id,
  merchantId,
  environment,
  url,
  topics,
  status,
  ...(maxPerSecond === undefined ? {} : { maxPerSecond }),
  createdAt
})

export const endpointRecord = (endpoint: WebhookEndpoint): typeof EndpointRecord.Type => ({
  ...sharedOf(endpoint),
  ...(endpoint.disabledReason === undefined ? {} : { disabledReason: endpoint.disabledReason }),
  ...(endpoint.disabledAt === undefined ? {} : { disabledAt: endpoint.disabledAt }),
  ...(endpoint.failingSince === undefined ? {} : { failingSince: endpoint.failingSince }),
  updatedAt: endpoint.updatedAt
})

export const newEndpointRecord = ({ endpoint, secret }: EndpointWithSecret): typeof NewEndpointRecord.Type => {
  const previousSecretExpiresAt = endpoint.secrets.at(-2)?.expiresAt
  return {
    ...sharedOf(endpoint),
    secret: Redacted.value(secret),
    ...(previousSecretExpiresAt === undefined ? {} : { previousSecretExpiresAt })
  }
}
