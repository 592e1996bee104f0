import { CallError, ConnectionFailed, TimedOut } from "../CallError.js"
import type { Refund, Verification } from "../Interface.generated.js"
import { ServiceProblem } from "../ServiceProblem.js"
import { SuretyError, UsageError } from "../SuretyError.js"
import type { CallOptions } from "./CallOptions.js"
import { pause } from "./pause.js"
import type { Runtime } from "./Runtime.js"

/** How long to wait for a record. */
export interface WaitOptions {
  /** Default 120,000. A provider may take a day. */
  readonly timeoutMillis?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The wait is over and the verification is still `PENDING`: wait again later, or ask with `get`. */
export class StillPending extends SuretyError {
  /** The verification as it was read last. */
  readonly verification: Verification

  constructor(verification: Verification, millis: number) {
    super(`verifications.waitUntilSettled: ${verification.reference} is still PENDING after ${millis} ms`)
    this.verification = verification
  }
}

/** The wait is over and the refund is still `PENDING`: wait again later, or ask with `get`. */
export class RefundStillPending extends SuretyError {
  /** The refund as it was read last. */
  readonly refund: Refund

  constructor(refund: Refund, millis: number) {
    super(`refunds.waitUntilSettled: ${refund.refundId} is still PENDING after ${millis} ms`)
    this.refund = refund
  }
}

const firstMillis = 1_000
const growth = 1.5
const largestMillis = 15_000
/** How long the last reading may continue after the time is up. */
const graceMillis = 5_000

/** 24 days: a longer timer would end at once. */
const longestTimerMillis = 2 ** 31 - 1

/** Whether a later reading may succeed, although the client has given this one up. */
const mayPass = (error: unknown): error is CallError =>
  error instanceof ConnectionFailed ||
  error instanceof TimedOut ||
  (error instanceof ServiceProblem && (error.status === 429 || error.status >= 500))

/** A signal that ends with the caller's, or after the time. */
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
 * Reads a record until it is no longer `PENDING`, or time is up: then rejects with what `stillPending` makes of the
 * last reading. Waits out the `Retry-After` of a refused reading if there is time. Rejects with any other failure of a
 * reading.
 */
export const waitUntilSettled = async <R extends { readonly status: string }>(
  read: (options: CallOptions) => Promise<R>,
  stillPending: (record: R, millis: number) => SuretyError,
  { elapsedMillis }: Runtime,
  { signal, timeoutMillis = 120_000 }: WaitOptions = {}
): Promise<R> => {
  if (!(timeoutMillis >= 0)) throw new UsageError("timeoutMillis is a number of milliseconds from 0.")
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
        if (error instanceof ServiceProblem) wait = Math.max(wait, error.retryAfterMillis ?? 0)
        if (elapsedMillis() + wait > endsAt) throw error
      }
      // An ended signal makes the next reading reject, with its reason.
      await pause(wait, signal)
    }
  } catch (error) {
    // The last reading took too long.
    const isOver = limited.signal.aborted && signal?.aborted !== true
    if (!isOver || !(error instanceof CallError)) throw error
    throw last === undefined ? new TimedOut(error, timeoutMillis, true) : stillPending(last, timeoutMillis)
  } finally {
    limited.release()
  }
}
