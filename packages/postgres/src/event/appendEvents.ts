import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { OutboxEvent } from "@surety/core/event/PlatformEvent"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import * as Trace from "./TraceColumn.js"

/** An event in the form that `append_events` takes. */
export const EventInput = Schema.Struct({
  merchant_id: Schema.UndefinedOr(JsonRow.uuid),
  environment: Schema.String,
  id: JsonRow.uuid,
  topic: Schema.String,
  body: Schema.String,
  occurred_at: JsonRow.time,
  test_for: Schema.UndefinedOr(JsonRow.uuid),
  trace: Schema.UndefinedOr(Schema.String),
  platform_only: Schema.Boolean
})

export const eventInput = (event: OutboxEvent): typeof EventInput.Type => ({
  merchant_id: event.merchantId,
  environment: event.environment,
  id: event.id,
  topic: event.topic,
  body: event.body,
  occurred_at: event.occurredAt,
  ...("isForPlatform" in event
    ? { test_for: undefined, trace: undefined, platform_only: true }
    : { test_for: event.testFor, trace: event.traceparent && Trace.bytesOf(event.traceparent), platform_only: false })
})

/** Encodes an event by hand, because a codec would be much slower. Every refund's event passes through here. */
const eventRow = (event: OutboxEvent) => {
  const { merchant_id, occurred_at, test_for, ...same } = eventInput(event)
  return {
    ...same,
    merchant_id: merchant_id && toUuid(merchant_id),
    id: toUuid(event.id),
    occurred_at: DateTime.formatIso(occurred_at),
    test_for: test_for && toUuid(test_for)
  }
}

/** Encodes events as the JSON argument of `append_events`. */
export const eventsText = (events: ReadonlyArray<OutboxEvent>): string => JsonRow.textOf(events.map(eventRow))

/**
 * Builds a call to `append_events` for the events. It returns one row per delivery. With `when`, a relation of at most
 * one row, the call stores the events only if `when` has that row.
 */
export const appendEvents = (
  { name, sql }: Database,
  events: ReadonlyArray<OutboxEvent>,
  when?: Fragment
): Fragment => {
  const json = sql`${eventsText(events)}::json`
  return sql`${name("append_events")}(${when === undefined ? json : sql`(select ${json} from ${when})`})`
}

/**
 * Builds SQL that stores the events and counts the deliveries created. Events and deliveries are stored only if the
 * statement's `stored` has a row.
 */
export const deliveriesOf = (database: Database, events: ReadonlyArray<OutboxEvent>): Fragment => {
  const { sql } = database
  return events.length === 0
    ? sql.literal("0::bigint")
    : sql`(select count(*) from ${appendEvents(database, events, sql.literal("stored"))})`
}

/**
 * Builds the end of a statement. It selects whether `stored` has a row, and how many deliveries the events created.
 * Events and deliveries are stored only if `stored` has a row.
 */
export const outcomeWith = (database: Database, events: ReadonlyArray<OutboxEvent>): Fragment => {
  const { sql } = database
  return sql`
    select exists (select 1 from stored) as stored, ${deliveriesOf(database, events)} as deliveries`
}

const decodeOutcome = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ stored: Schema.Boolean, deliveries: Schema.BigInt })])
)

/**
 * Runs a statement that ends with `outcomeWith` and whose events create no deliveries. Returns true if the statement
 * stored its plan.
 */
export const storingUndelivered = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(Effect.flatMap(statement, decodeOutcome), ([{ stored }]) => stored)

/**
 * Wakes the dispatcher if deliveries were created. Inside a transaction begun by the SQL client, this happens after its
 * commit. Inside a host's transaction, it happens before the host commits.
 */
export const notify = (
  { sql }: Database,
  signal: DeliverySignal["Service"],
  deliveries: number | bigint
): Effect.Effect<void> => (deliveries > 0 ? sql.afterCommit(signal.notify) : Effect.void)

/**
 * Runs a statement that ends with `outcomeWith`, and wakes the dispatcher if its events created deliveries. Returns
 * true if the statement stored its plan.
 */
export const storing = Effect.fnUntraced(function* (
  database: Database,
  signal: DeliverySignal["Service"],
  statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>
) {
  const [{ deliveries, stored }] = yield* Effect.flatMap(statement, decodeOutcome)
  yield* notify(database, signal, deliveries)
  return stored
})
