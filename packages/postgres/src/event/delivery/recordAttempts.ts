import { type DeliveryAttempt, DeliveryStatus } from "@surety/core/event/Delivery"
import type { AfterAttempt, AttemptRecorded, LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { type DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Together from "../../sql/batchedVerb.js"
import * as Column from "../../sql/ColumnSchemas.js"
import type { Database } from "../../sql/Database.js"
import * as JsonRow from "../../sql/JsonRow.js"
import { EventInput, eventInput } from "../appendEvents.js"

/** The arguments of one call to `DeliveryQueue.settle`. */
interface Attempted {
  readonly due: LeasedDelivery
  readonly attempt: DeliveryAttempt
  readonly after: AfterAttempt
}

const RecordedRow = Schema.Struct({
  ordinal: Schema.BigInt,
  disables: Schema.Boolean,
  disabled: Schema.Boolean,
  failing_since: Column.nullable(Column.time),
  failing_days: Column.nullable(Schema.Int)
})

const decodeRecorded = Schema.decodeUnknownEffect(Schema.Array(RecordedRow))

const notOurs: AttemptRecorded = { applied: undefined, disabled: false, failing: undefined }

const recordedOf = (
  after: AfterAttempt,
  { disabled, disables, failing_days: days, failing_since: since }: typeof RecordedRow.Type
): AttemptRecorded => ({
  applied: after._tag === "DisableEndpoint" && !disables ? after.otherwise._tag : after._tag,
  disabled,
  failing: since === undefined || days === undefined ? undefined : { since, days }
})

/** Replaces NUL, which a receiver may send but PostgreSQL text cannot contain. */
const withoutNul = (text: string | undefined): string | undefined => text?.replaceAll("\0", "\uFFFD")

interface Move {
  readonly status: DeliveryStatus
  readonly nextAttemptAt: DateTime.Utc | undefined
}

/**
 * Returns the delivery's next state. For a `DisableEndpoint`, returns the state that applies if the endpoint is not
 * disabled. If it is, `record_attempts` fails the delivery.
 */
const movesTo = (after: AfterAttempt): Move => {
  switch (after._tag) {
    case "Delivered":
      return { status: "DELIVERED", nextAttemptAt: undefined }
    case "Retry":
      return { status: "PENDING", nextAttemptAt: after.at }
    case "GiveUp":
      return { status: "FAILED", nextAttemptAt: undefined }
    case "DisableEndpoint":
      return movesTo(after.otherwise)
  }
}

/** An attempt in the form that `record_attempts` takes. */
const AttemptInput = Schema.Struct({
  delivery_id: JsonRow.uuid,
  fence: Schema.Int,
  number: Schema.Int,
  started_at: JsonRow.time,
  duration_millis: Schema.Int,
  response_status: Schema.UndefinedOr(Schema.Int),
  response_body: Schema.UndefinedOr(Schema.String),
  error: Schema.UndefinedOr(Schema.String),
  status: DeliveryStatus,
  next_attempt_at: Schema.UndefinedOr(JsonRow.time),
  disable_reason: Schema.UndefinedOr(Schema.String),
  disable_if_url: Schema.UndefinedOr(Schema.String),
  disable_if_failing_since: Schema.UndefinedOr(JsonRow.time),
  disabled_event: Schema.UndefinedOr(EventInput)
})

const attemptsText = JsonRow.jsonText(Schema.Array(AttemptInput))

const attemptInput = ({ after, attempt, due }: Attempted): typeof AttemptInput.Type => {
  const { nextAttemptAt, status } = movesTo(after)
  const disabling = after._tag === "DisableEndpoint" ? after : undefined
  return {
    delivery_id: due.delivery.id,
    fence: due.fence,
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_millis: attempt.durationMillis,
    response_status: attempt.responseStatus,
    response_body: withoutNul(attempt.responseBody),
    error: withoutNul(attempt.error),
    status,
    next_attempt_at: nextAttemptAt,
    disable_reason: disabling?.reason,
    disable_if_url: disabling && due.endpoint.url,
    disable_if_failing_since: disabling?.onlyIf?.failingSince,
    disabled_event: disabling?.event && eventInput(disabling.event)
  }
}

/**
 * Records attempts in one statement. Returns a function from an attempt and its index in the list to the attempt's
 * result.
 */
const recordAll = Effect.fnUntraced(function* (
  { nameText, sql }: Database,
  attempted: ReadonlyArray<Attempted>
): Effect.fn.Return<(attempted: Attempted, place: number) => AttemptRecorded, SqlError | Schema.SchemaError> {
  const rows = yield* sql.unsafe(`select * from ${nameText("record_attempts")}($1)`, [
    attemptsText(attempted.map(attemptInput))
  ])
  const recorded = new Map((yield* decodeRecorded(rows)).map((row) => [row.ordinal, row]))
  return ({ after }, place) => {
    const row = recorded.get(BigInt(place + 1))
    return row === undefined ? notOurs : recordedOf(after, row)
  }
})

/** Attempts of concurrent calls are recorded in batches. */
export const make = Effect.fnUntraced(function* (database: Database) {
  const record = yield* Together.make(database, {
    operation: "DeliveryQueue.settle",
    maxBatch: database.settings.attemptBatchSize,
    all: (attempted: ReadonlyArray<Attempted>) => recordAll(database, attempted)
  })

  return (due: LeasedDelivery, attempt: DeliveryAttempt, after: AfterAttempt) => record({ due, attempt, after })
})
