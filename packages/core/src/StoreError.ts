import { Cause, Effect, Schema } from "effect"
import { innermostMessage } from "./innermostMessage.js"

/** The operation failed, but the same call may succeed later. A commit may have taken place nonetheless. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>("@surety/core/StoreError/StoreUnavailable")(
  "StoreUnavailable",
  { cause: Schema.Defect() }
) {
  readonly isRetryable: boolean = true

  override get message(): string {
    return "The storage did not respond. A commit may or may not have happened."
  }
}

/** A stored record or an input is invalid, so a retry cannot succeed. */
export class StoreCorrupt extends Schema.TaggedError<StoreCorrupt>("@surety/core/StoreError/StoreCorrupt")(
  "StoreCorrupt",
  { cause: Schema.Defect() }
) {
  readonly isRetryable: boolean = false

  override get message(): string {
    return "The storage returned something that is not a record of Surety."
  }
}

/** A storage port failed. If `isRetryable`, the same call may succeed later. */
export class StoreError extends Schema.TaggedError<StoreError>("@surety/core/StoreError")("StoreError", {
  /** The port and operation, such as `RefundStore.execute`. */
  operation: Schema.String,
  reason: Schema.Union([StoreUnavailable, StoreCorrupt])
}) {
  override get message(): string {
    return `${this.operation}: ${this.reason._tag}`
  }

  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

/** Logs that a stored record is damaged, with its `id`. `detail` must contain none of its values. */
export const logDamaged = (id: string, detail: string): Effect.Effect<void> =>
  Effect.logError("A record is damaged; it is skipped until it is repaired", detail).pipe(Effect.annotateLogs({ id }))

/**
 * Wraps a worker's `work` on one record. If the store cannot read the record, or the work dies, for example because a
 * constraint refuses the change, logs an error with the record's `id` and returns `instead`. So one damaged record does
 * not stop the work on all others.
 */
export const skipDamaged =
  <B>(id: string, instead: B) =>
  <A, E, R>(work: Effect.Effect<A, E | StoreError, R>): Effect.Effect<A | B, E | StoreError, R> =>
    work.pipe(
      Effect.catchIf(
        (error) => isStoreError(error) && !error.isRetryable,
        (error) => Effect.as(logDamaged(id, innermostMessage(error)), instead)
      ),
      Effect.catchDefect((defect) =>
        Effect.logError(
          "The work on a record failed unexpectedly; it is skipped in this round",
          Cause.die(defect)
        ).pipe(Effect.annotateLogs({ id }), Effect.as(instead))
      )
    )

const isStoreError = Schema.is(StoreError)
