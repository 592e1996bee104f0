import { Effect, Exit, Metric } from "effect"

/** Name of a hook in metrics and log lines. */
export type HookName = "wallet" | "directory" | "consent" | "events"

/**
 * Counter of finished calls by `HookCaller`'s `ask` and `tell`. Its attributes are `hook` and `outcome`: `answered` if
 * the response was valid, otherwise `failed`.
 */
export const calls = Metric.counter("hook_calls_total", {
  description: "Calls to the platform's hooks, by hook and outcome.",
  incremental: true
})

/** Gauge for each `hook`: 1 if this process's latest call failed, otherwise 0. */
export const failing = Metric.gauge("hook_failing", {
  description: "1 if this process's latest call to the hook failed; else 0."
})

/** Counts a call to a hook by outcome, and sets the hook's `failing` gauge. */
export const recordCall = (hook: HookName, isAnswered: boolean): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(calls, { hook, outcome: isAnswered ? "answered" : "failed" }), 1),
    Metric.update(Metric.withAttributes(failing, { hook }), isAnswered ? 0 : 1)
  )

/** Counts a call when it ends. An interrupted call is not counted. */
export const countCall =
  (hook: HookName) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onExit(call, (exit) => (Exit.hasInterrupts(exit) ? Effect.void : recordCall(hook, Exit.isSuccess(exit))))
