import { Context, DateTime, Duration, Effect, Layer, Metric } from "effect"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"
import { RetentionPolicy } from "./RetentionPolicy.js"
import { type RetentionKind, RetentionStore, retentionKinds } from "./RetentionStore.js"

/** A kind of record, and the number that a preview counted or a run removed. 0 for a kind that is kept forever. */
export interface RetentionLine {
  readonly kind: RetentionKind
  /**
   * Records older than this time are due for removal, except reads that the store keeps longer. Undefined if the kind
   * is kept forever.
   */
  readonly before: DateTime.Utc | undefined
  readonly count: number
}

/** Removes records whose retention period has passed (contract 17). */
export class Retention extends Context.Service<
  Retention,
  {
    /** Counts the records that a run would remove now. Changes nothing. */
    readonly preview: Effect.Effect<ReadonlyArray<RetentionLine>, StoreError>

    /**
     * Removes the records that are due, in batches of `takenAtOnce`, and returns the count of each kind. Safe to run
     * concurrently on several nodes.
     */
    readonly run: Effect.Effect<ReadonlyArray<RetentionLine>, StoreError>
  }
>()("@surety/core/retention/Retention") {}

/** Maximum number of records removed per batch. Small, so that records are locked only briefly. */
export const takenAtOnce = 500

/** Pause between batches, so that a large backlog does not keep the database busy. */
const pause = Duration.millis(50)

/** The attribute `kind` is the kind of record. */
export const recordsTaken = Metric.counter("retention_records_taken_total", {
  description: "Records that retention has taken",
  incremental: true
})

export const layer: Layer.Layer<Retention, never, RetentionStore> = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const policy = yield* RetentionPolicy

    const lines = (countOf: (kind: RetentionKind, before: DateTime.Utc) => Effect.Effect<number, StoreError>) =>
      Effect.flatMap(DateTime.now, (now) =>
        Effect.forEach(
          retentionKinds,
          Effect.fnUntraced(function* (kind) {
            const time = policy[kind]
            const before = time === undefined ? undefined : DateTime.subtractDuration(now, time)
            const line: RetentionLine = { kind, before, count: before === undefined ? 0 : yield* countOf(kind, before) }
            return line
          })
        )
      )

    const takeAll = Effect.fnUntraced(function* (kind: RetentionKind, before: DateTime.Utc) {
      let total = 0
      while (true) {
        const taken = yield* store.take(kind, before, takenAtOnce)
        total += taken
        if (taken > 0) yield* Metric.update(Metric.withAttributes(recordsTaken, { kind }), taken)
        if (taken < takenAtOnce) return total
        yield* Effect.sleep(pause)
      }
    })

    return Retention.of({
      preview: lines(store.count).pipe(Effect.withSpan("Retention.preview")),
      run: lines(takeAll).pipe(Effect.withSpan("Retention.run"))
    })
  })
)

export const retainEvery = Duration.minutes(10)

export const worker = Worker.make(
  { name: "Retention", every: retainEvery },
  Effect.flatMap(Retention, ({ run }) => run)
)
