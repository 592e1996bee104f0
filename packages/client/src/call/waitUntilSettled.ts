import { CallError, ConnectionFailed, TimedOut, UnexpectedAnswer } from "../CallError.js"
import type { Refund, Verification } from "../Interface.generated.js"
import { ServiceProblem } from "../ServiceProblem.js"
import { SuretyError, UsageError } from "../SuretyError.js"
import type { CallOptions } from "./CallOptions.js"
import { pause } from "./pause.js"
import type { Runtime } from "./Runtime.js"

/** Time limit and abort signal of `waitUntilSettled`. */
export interface WaitOptions {
  /** Time limit of the wait. Default 120,000. The last read may overrun it by up to 5,000. */
  readonly timeoutMillis?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * The verification was still `PENDING` when last read, and no time is left for another read. Wait again later, or read
 * it with `get`.
 */
export class StillPending extends SuretyError {
  /** The verification as last read. */
  readonly verification: Verification

  constructor(verification: Verification, millis: number) {
    super(`verifications.waitUntilSettled: ${verification.reference} is still PENDING after ${millis} ms`)
    this.verification = verification
  }
}

/**
 * The refund was still `PENDING` when last read, and no time is left for another read. Wait again later, or read it
 * with `get`.
 */
export class RefundStillPending extends SuretyError {
  /** The refund as last read. */
  readonly refund: Refund

  constructor(refund: Refund, millis: number) {
    super(`refunds.waitUntilSettled: ${refund.refundId} is still PENDING after ${millis} ms`)
    this.refund = refund
  }
}

const firstMillis = 1_000
const growth = 1.5
const largestMillis = 15_000
/** How long the last read may overrun the time limit. */
const graceMillis = 5_000

/** Almost 25 days. A longer timer would fire immediately. */
const longestTimerMillis = 2 ** 31 - 1

/**
 * Returns true for a failure after which a later read may succeed. An `UnexpectedAnswer` with any status but 408, 429
 * and 5xx suggests a misconfiguration, for example a wrong `baseUrl`.
 */
export const mayPass = (error: unknown): error is CallError =>
  error instanceof ConnectionFailed ||
  error instanceof TimedOut ||
  (error instanceof UnexpectedAnswer && (error.status === 408 || error.status === 429 || error.status >= 500)) ||
  (error instanceof ServiceProblem && (error.status === 429 || error.status >= 500))

/** Returns the response's `Retry-After` in milliseconds, or 0 without one. */
export const askedMillisOf = (error: CallError): number =>
  error instanceof ServiceProblem || error instanceof UnexpectedAnswer ? (error.retryAfterMillis ?? 0) : 0

/** Builds a signal that aborts when the caller's signal does, or after `millis`. */
const limitedSignal = (signal: AbortSignal | undefined, millis: number) => {
  const controller = new AbortController()
  const end = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) end()
  signal?.addEventListener("abort", end)
  const timer = setTimeout(end, millis)
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
    }
  }
}

/**
 * Polls a record until it is no longer `PENDING`. After a transient failure, reads again, but no earlier than any
 * `Retry-After`. Rejects immediately with any other failure.
 *
 * If no time is left for another read, rejects with the last read's failure. If that read returned a pending record,
 * rejects with the error of `stillPending`. A read that overruns the time limit by `graceMillis` is aborted. The wait
 * then rejects with the error of `stillPending` for the last record, or with `TimedOut` if none was read.
 */
export const waitUntilSettled = async <R extends { readonly status: string }>(
  read: (options: CallOptions) => Promise<R>,
  stillPending: (record: R, millis: number) => SuretyError,
  { elapsedMillis }: Runtime,
  { signal, timeoutMillis = 120_000 }: WaitOptions = {}
): Promise<R> => {
  if (!(timeoutMillis >= 0)) throw new UsageError("timeoutMillis must be a number of milliseconds, 0 or more.")
  const endsAt = elapsedMillis() + timeoutMillis
  const limited = limitedSignal(signal, Math.min(timeoutMillis + graceMillis, longestTimerMillis))
  let last: R | undefined
  try {
    for (let millis = firstMillis; ; millis = Math.min(largestMillis, millis * growth)) {
      let wait = millis
      try {
        last = await read({ signal: limited.signal })
        if (last.status !== "PENDING") return last
        if (elapsedMillis() + wait > endsAt) throw stillPending(last, timeoutMillis)
      } catch (error) {
        if (!mayPass(error)) throw error
        wait = Math.max(wait, askedMillisOf(error))
        if (elapsedMillis() + wait > endsAt) throw error
      }
      // If the signal is aborted, the next read rejects with `Aborted`.
      await pause(wait, signal)
    }
  } catch (error) {
    // True if the last read overran the time limit by `graceMillis`.
    const isOver = limited.signal.aborted && signal?.aborted !== true
    if (!isOver || !(error instanceof CallError)) throw error
    throw last === undefined ? new TimedOut(error, timeoutMillis, true) : stillPending(last, timeoutMillis)
  } finally {
    limited.release()
  }
}
