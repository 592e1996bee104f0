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
