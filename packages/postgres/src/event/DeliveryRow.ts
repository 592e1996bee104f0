import { Environment } from "@surety/core/Environment"
import { DeliveryStatus } from "@surety/core/event/Delivery"
import { Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

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

/** What to select of a delivery `d`. */
export const columns = `d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.merchant_id as "merchantId",
  d.environment, d.status, d.attempts, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt"`

export const decode = Schema.decodeUnknownEffect(Schema.Array(DeliveryRow))
