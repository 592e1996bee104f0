import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const AttemptRow = Schema.Struct({
  deliveryId: Column.deliveryId,
  number: Schema.Int,
  startedAt: Column.time,
  durationMillis: Schema.Int,
  responseStatus: Column.nullable(Schema.Int),
  responseBody: Column.nullable(Schema.String),
  error: Column.nullable(Schema.String)
})

/** Columns of an attempt `a`. */
export const columns = `a.delivery_id as "deliveryId", a.number, a.started_at as "startedAt",
  a.duration_millis as "durationMillis", a.response_status as "responseStatus", a.response_body as "responseBody", a.error`

export const decode: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(AttemptRow)
)
