import { UsageError } from "../SuretyError.js"

/** Limits and abort signal of one call. In a list, each page is a separate call. */
export interface CallOptions {
  /** Aborts the call and any wait between attempts. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of one attempt. Default: the client's. */
  readonly timeoutMillis?: number | undefined
  /** Time limit of the whole call, including every attempt and wait. Default: the client's. */
  readonly deadlineMillis?: number | undefined
  /** Maximum number of retries after the first attempt. Default: the client's. */
  readonly maxRetries?: number | undefined
}

/**
 * Options of a call with an idempotency key. While the service remembers the key, the call takes effect at most once.
 */
export interface KeyedCallOptions extends CallOptions {
  /**
   * Identifies an operation that must happen only once. 1 to 255 printable ASCII characters, not only spaces. Default:
   * a new key per call. Pass your own key, stored with your order, to make the call safe to repeat even after a crash.
   * The service remembers a refund's key as long as the refund exists, and any other key for 30 days. A rejected
   * request or a failed refund leaves its key free.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Patience {
  readonly timeoutMillis: number
  readonly deadlineMillis: number
  readonly maxRetries: number
}

const oneDayMillis = 86_400_000

/** Reads the requested limits, filling in omitted ones from `fallback`. Throws `UsageError` for an invalid number. */
export const readPatience = (
  asked: Partial<Record<keyof Patience, number | undefined>>,
  fallback: Patience
): Patience => {
  const patience = {
    timeoutMillis: asked.timeoutMillis ?? fallback.timeoutMillis,
    deadlineMillis: asked.deadlineMillis ?? fallback.deadlineMillis,
    maxRetries: asked.maxRetries ?? fallback.maxRetries
  }
  for (const name of ["timeoutMillis", "deadlineMillis"] as const) {
    if (!(patience[name] > 0 && patience[name] <= oneDayMillis)) {
      throw new UsageError(`${name} must be a number of milliseconds above 0 and at most ${oneDayMillis}.`)
    }
  }
  if (!(Number.isInteger(patience.maxRetries) && patience.maxRetries >= 0 && patience.maxRetries <= 20)) {
    throw new UsageError("maxRetries must be a whole number from 0 to 20.")
  }
  return patience
}

export const readIdempotencyKey = (key: string): string => {
  if (/^[\x20-\x7e]{1,255}$/u.test(key) && key.trim() !== "") return key
  throw new UsageError("idempotencyKey must be 1 to 255 printable ASCII characters.")
}
