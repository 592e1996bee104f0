import { Environment } from "@surety/core/Environment"
import { type SequencedEvent, Topic } from "@surety/core/event/DomainEvent"
import { type Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import { sequenceOf } from "./eventOrder.js"
import { traceparentOf } from "./TraceColumn.js"

const EventRow = Schema.Struct({
  id: Column.eventId,
  merchantId: Column.merchantId,
  environment: Environment,
  topic: Topic,
  body: Schema.String,
  occurredAt: Column.time,
  testFor: Column.nullable(Column.endpointId),
  traceparent: Column.nullable(Schema.String),
  sequence: Schema.String
})

export const columns = `v.id, v.merchant_id as "merchantId", v.environment, v.topic, v.body,
  v.occurred_at as "occurredAt", v.test_for as "testFor", ${traceparentOf("v")} as traceparent,
  ${sequenceOf("v")} as sequence`

export const decode: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<SequencedEvent>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(EventRow)
)

/** Builds SQL for the condition that an event `alias` reports a change of a person's details. Test events do not. */
export const isDetailsChange = (alias: string): string =>
  `${alias}.topic = 'merchant.identity.data_changed' and ${alias}.test_for is null`

/**
 * Builds SQL for the service id in the payload of such an event `alias`. No record of the person has the event's id, so
 * the event is found by its payload, over `event_data_changed_idx`.
 */
export const changedPersonOf = (alias: string): string => `substring(${alias}.body from '"serviceId":"([^"]*)"')`
