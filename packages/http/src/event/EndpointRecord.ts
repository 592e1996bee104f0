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
    Schema.Int.annotate({ description: "How many deliveries begin there within a second at most." })
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
    Schema.Int.annotate({ description: "Where recovery was asked for: how many events are due again." })
  )
}).annotate({ identifier: "ChangedWebhookEndpoint" })

export const NewEndpointRecord = Schema.Struct({
  ...shared,
  secret: Schema.String.annotateKey({
    description: "Shown now and never again. The key of X-Service-Signature is this whole text in UTF-8.",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
  }),
  previousSecretExpiresAt: Schema.optionalKey(
    Timestamp.annotateKey({
      description:
        "After a rotation: until when the secret before is in force too. Absent where none is, as after a new endpoint's " +
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
