import { Environment } from "@surety/core/Environment"
import { Topic } from "@surety/core/event/DomainEvent"
import { type EndpointSecret, EndpointStatus, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { type Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** Sealed secrets as JSON, oldest first. */
const SecretsColumn = Schema.Array(
  Schema.Struct({
    sealed: Schema.Struct({ keyId: Schema.String, bytes: Schema.Uint8ArrayFromBase64 }),
    createdAt: Schema.DateTimeUtcFromString,
    expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
  })
)

const encodeSecrets = Schema.encodeSync(SecretsColumn)

export const secretsText = (secrets: ReadonlyArray<EndpointSecret>): string => JSON.stringify(encodeSecrets(secrets))

export const EndpointRow = Schema.Struct({
  id: Column.endpointId,
  merchantId: Column.merchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  disabledReason: Column.nullable(Schema.String),
  disabledAt: Column.nullable(Column.time),
  maxPerSecond: Column.nullable(Schema.Int),
  secrets: SecretsColumn,
  failingSince: Column.nullable(Column.time),
  missedSince: Column.nullable(Column.time),
  createdAt: Column.time,
  updatedAt: Column.time
})

export const columns = `e.id, e.merchant_id as "merchantId", e.environment, e.url, e.topics, e.status,
  e.disabled_reason as "disabledReason", e.disabled_at as "disabledAt",
  e.max_per_second as "maxPerSecond", e.secrets, e.failing_since as "failingSince",
  e.missed_since as "missedSince", e.created_at as "createdAt", e.updated_at as "updatedAt"`

export const decode: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(EndpointRow)
)
