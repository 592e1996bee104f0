import type { Delivery } from "@surety/core/event/Delivery"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { TestEvent } from "@surety/core/event/DomainEvent"
import type { DeliveryId, EventId } from "@surety/core/Ids"
import { Effect, Option, Schema } from "effect"
import * as Together from "../sql/batchedVerb.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database, InnerError } from "../sql/Database.js"
import { appendEvents, notify } from "./appendEvents.js"

const decodeDue = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ delivery_id: Column.deliveryId, event_id: Column.eventId }))
)

const deliveryOf = (
  { environment, id: eventId, merchantId, occurredAt, testFor: endpointId }: TestEvent,
  id: DeliveryId
): Delivery => ({
  id,
  eventId,
  endpointId,
  merchantId,
  environment,
  status: "PENDING",
  attempts: 0,
  nextAttemptAt: occurredAt,
  createdAt: occurredAt
})

/** Concurrent calls can share one commit. */
export const make = Effect.fnUntraced(function* (database: Database, signal: DeliverySignal["Service"]) {
  const { settings, sql } = database

  const sendAll = Effect.fnUntraced(function* (
    events: ReadonlyArray<TestEvent>
  ): Effect.fn.Return<(event: TestEvent) => Option.Option<Delivery>, InnerError> {
    const rows = yield* sql`select delivery_id, event_id from ${appendEvents(database, events)}`
    const made = new Map<EventId, DeliveryId>(
      (yield* decodeDue(rows)).map(({ delivery_id, event_id }) => [event_id, delivery_id])
    )
    yield* notify(database, signal, made.size)
    return (event) => Option.map(Option.fromUndefinedOr(made.get(event.id)), (id) => deliveryOf(event, id))
  })

  return yield* Together.make(database, {
    operation: "EventLog.sendTest",
    maxBatch: settings.testEventBatchSize,
    all: sendAll
  })
})
