import type { Failure, Success } from "./Outcome.js"

/** How long an attempt may take, and who may end it. */
export interface AttemptLimits {
  readonly millis: number
  /** What it means that its time is up. */
  readonly timedOut: Failure
  readonly signal: AbortSignal | undefined
}

/**
 * Runs an exchange until it ends, its time is up, or the caller ends it; in both latter cases without waiting for what
 * the exchange makes of its signal. `noAnswer` says what a rejection means.
 */
export const attempt = (
  exchange: (signal: AbortSignal) => Promise<Success | Failure>,
  noAnswer: (error: unknown) => Failure,
  { millis, signal, timedOut }: AttemptLimits
): Promise<Success | Failure> =>
  new Promise((resolve) => {
    const controller = new AbortController()
    const settle = (outcome: Success | Failure): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      resolve(outcome)
      controller.abort()
    }
    const onAbort = (): void => settle({ kind: "aborted", reason: signal?.reason, notSent: false })
    const timer = setTimeout(() => settle(timedOut), millis)
    signal?.addEventListener("abort", onAbort)
    exchange(controller.signal).then(settle, (error: unknown) => settle(noAnswer(error)))
  })
