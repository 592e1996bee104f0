import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import type { AfterAttempt, AttemptRecorded, DueDelivery } from "@surety/core/event/DeliveryQueue"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Together from "../sql/batchedVerb.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"

/** One call of `DeliveryQueue.record`. */
interface Attempted {
  readonly due: DueDelivery
  readonly attempt: DeliveryAttempt
  readonly after: AfterAttempt
}

const RecordedRow = Schema.Struct({
  ordinal: Schema.BigInt,
  disabled: Schema.Boolean,
  failing_since: Column.nullable(Column.time),
  failing_days: Column.nullable(Schema.Int)
})

const decodeRecorded = Schema.decodeUnknownEffect(Schema.Array(RecordedRow))

const notOurs: AttemptRecorded = { isOurs: false, disabled: false, failing: undefined }

const recordedOf = ({
  disabled,
  failing_days: days,
  failing_since: since
}: typeof RecordedRow.Type): AttemptRecorded => ({
  isOurs: true,
  disabled,
  failing: since === undefined || days === undefined ? undefined : { since, days }
})

/** Postgres keeps no NUL in a text, and a receiver may send one. */
const withoutNul = (text: string | undefined): string | null => text?.replaceAll("\0", "\uFFFD") ?? null

const millis = DateTime.toEpochMillis

/** What becomes of the delivery, where its endpoint is not disabled. */
const movesTo = (after: AfterAttempt): { readonly status: string; readonly nextAttemptAt: number | null } => {
  switch (after._tag) {
    case "Delivered":
      return { status: "DELIVERED", nextAttemptAt: null }
    case "Retry":
      return { status: "PENDING", nextAttemptAt: millis(after.at) }
    case "GiveUp":
      return { status: "FAILED", nextAttemptAt: null }
    case "DisableEndpoint":
      return after.onlyIf === undefined ? { status: "FAILED", nextAttemptAt: null } : movesTo(after.onlyIf.otherwise)
  }
}

const disablingOf = (after: AfterAttempt) => (after._tag === "DisableEndpoint" ? after : undefined)

const failingSinceOf = (after: AfterAttempt): number | null => {
  const since = disablingOf(after)?.onlyIf?.failingSince
  return since === undefined ? null : millis(since)
}

/** Records attempts in one statement, and answers what became of each. */
const recordAll = Effect.fnUntraced(function* (
  { nameText, sql }: Database,
  attempted: ReadonlyArray<Attempted>
): Effect.fn.Return<(attempted: Attempted, place: number) => AttemptRecorded, SqlError | Schema.SchemaError> {
  const attempts = attempted.map(({ attempt }) => attempt)
  const moves = attempted.map(({ after }) => movesTo(after))
  const rows = yield* sql.unsafe(
    `select * from ${nameText("record_attempts")}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      PgArray.uuids(attempted.map(({ due }) => toUuid(due.delivery.id))),
      PgArray.integers(attempted.map(({ due }) => due.fence)),
      PgArray.integers(attempts.map(({ number }) => number)),
      PgArray.times(attempts.map(({ startedAt }) => millis(startedAt))),
      PgArray.integers(attempts.map(({ durationMillis }) => durationMillis)),
      PgArray.integers(attempts.map(({ responseStatus }) => responseStatus ?? null)),
      PgArray.texts(attempts.map(({ responseBody }) => withoutNul(responseBody))),
      PgArray.texts(attempts.map(({ error }) => withoutNul(error))),
      PgArray.texts(moves.map(({ status }) => status)),
      PgArray.times(moves.map(({ nextAttemptAt }) => nextAttemptAt)),
      PgArray.texts(attempted.map(({ after }) => disablingOf(after)?.reason ?? null)),
      PgArray.times(attempted.map(({ after }) => failingSinceOf(after)))
    ]
  )
  const recorded = new Map((yield* decodeRecorded(rows)).map((row) => [row.ordinal, recordedOf(row)]))
  return (_, place) => recorded.get(BigInt(place + 1)) ?? notOurs
})

/** `DeliveryQueue.record`: attempts that end at the same time are recorded together. */
export const make = Effect.fnUntraced(function* (database: Database) {
  const record = yield* Together.make(database, {
    operation: "DeliveryQueue.record",
    maxBatch: database.settings.attemptBatchSize,
    all: (attempted: ReadonlyArray<Attempted>) => recordAll(database, attempted)
  })

  return (due: DueDelivery, attempt: DeliveryAttempt, after: AfterAttempt) => record({ due, attempt, after })
})
