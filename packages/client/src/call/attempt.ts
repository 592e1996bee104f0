import type { Failure, Success } from "../Outcome.js"

export interface AttemptLimits {
  readonly millis: number
  /** The failure that `attempt` resolves to on timeout. */
  readonly timedOut: Failure
  readonly signal: AbortSignal | undefined
}

/**
 * Runs an exchange until it ends, times out, or is aborted by the caller. On timeout or abort, resolves without waiting
 * for the exchange to end. `noAnswer` maps a rejection of the exchange to a failure.
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
