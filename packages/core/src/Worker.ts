import { type Duration, Effect, Layer, Schedule } from "effect"

/** Background work that repeats in rounds. */
export interface Worker<R> {
  /** Does the work that is due now. Never fails: failures are logged and retried in the next round. */
  readonly round: Effect.Effect<void, never, R>
  /** Runs `round` repeatedly, with the schedule's pauses, until the layer's scope closes. */
  readonly layer: Layer.Layer<never, never, R>
}

/** When a worker runs, and its name in log lines. */
export interface WorkerSchedule {
  /** Name of the work, worded as the subject of a log line: "Refund recovery". */
  readonly name: string
  readonly every: Duration.Duration
  /** Pause after a failed round, in addition to `every`. */
  readonly afterFailure?: Duration.Duration
}

/** Builds a worker that runs `work` once per round. */
export const make = <A, E, R>(
  { afterFailure, every, name }: WorkerSchedule,
  work: Effect.Effect<A, E, R>
): Worker<R> => {
  const run = work.pipe(
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`${name} failed; retrying`, cause), false))
  )
  const pause = afterFailure === undefined ? Effect.void : Effect.sleep(afterFailure)
  const paced = Effect.flatMap(run, (isDone) => (isDone ? Effect.void : pause))
  return {
    round: Effect.asVoid(run),
    layer: Layer.effectDiscard(Effect.forkScoped(Effect.repeat(paced, Schedule.spaced(every))))
  }
}
