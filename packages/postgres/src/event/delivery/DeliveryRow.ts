import { Environment } from "@surety/core/Environment"
import { type DeliveryAttempt, DeliveryStatus } from "@surety/core/event/Delivery"
import { type Effect, Schema } from "effect"
import * as Column from "../../sql/ColumnSchemas.js"

const DeliveryRow = Schema.Struct({
  id: Column.deliveryId,
  eventId: Column.eventId,
  endpointId: Column.endpointId,
  merchantId: Column.merchantId,
  environment: Environment,
  status: DeliveryStatus,
  attempts: Schema.Int,
  nextAttemptAt: Column.nullable(Column.time),
  createdAt: Column.time
})

export const columns = `d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.merchant_id as "merchantId",
  d.environment, d.status, d.attempts, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt"`

export const decode = Schema.decodeUnknownEffect(Schema.Array(DeliveryRow))

const AttemptRow = Schema.Struct({
  deliveryId: Column.deliveryId,
  number: Schema.Int,
  startedAt: Column.time,
  durationMillis: Schema.Int,
  responseStatus: Column.nullable(Schema.Int),
  responseBody: Column.nullable(Schema.String),
  error: Column.nullable(Schema.String)
})

export const attemptColumns = `a.delivery_id as "deliveryId", a.number, a.started_at as "startedAt",
  a.duration_millis as "durationMillis", a.response_status as "responseStatus", a.response_body as "responseBody", a.error`

export const decodeAttempts: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(AttemptRow)
)
