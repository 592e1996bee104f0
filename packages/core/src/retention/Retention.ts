import { Context, DateTime, Duration, Effect, Layer, Metric, Schedule } from "effect"
import type { StoreError } from "../StoreError.js"
import { RetentionPolicy } from "./RetentionPolicy.js"
import { type RetentionKind, RetentionStore, retentionKinds } from "./RetentionStore.js"

/** What retention takes of a kind. */
export interface RetentionLine {
  readonly kind: RetentionKind
  /** Records older than this are taken. Undefined: none is. */
  readonly before: DateTime.Utc | undefined
  readonly count: number
}

/** Keeps records for as long as the policy says, and no longer (contract 17). */
export class Retention extends Context.Service<
  Retention,
  {
    /** What it would take now. Changes nothing. */
    readonly preview: Effect.Effect<ReadonlyArray<RetentionLine>, StoreError>

    /** Takes all of it, in small steps, and returns how many of each kind. Several nodes may run it at once. */
    readonly run: Effect.Effect<ReadonlyArray<RetentionLine>, StoreError>
  }
>()("@surety/core/retention/Retention") {}

/** How many records a step takes: few, so that it locks them for a moment only. */
export const takenAtOnce = 500

/** Between two steps, so that a large backlog leaves the database to others. */
const pause = Duration.millis(50)

/** Records that retention has taken, by `kind`. */
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

/** How often retention runs. */
export const retainEvery = Duration.minutes(10)

/** Runs retention once. Never fails: what failed is logged, and done next time. */
export const round: Effect.Effect<void, never, Retention> = Effect.flatMap(Retention, ({ run }) => run).pipe(
  Effect.asVoid,
  Effect.catchCause((cause) => Effect.logWarning("Retention failed; retrying", cause))
)

/** Repeats `round` in the background until its scope closes. */
export const layerSweeper: Layer.Layer<never, never, Retention> = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(round, Schedule.spaced(retainEvery)))
)
