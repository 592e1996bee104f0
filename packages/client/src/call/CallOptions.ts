import { UsageError } from "../SuretyError.js"

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, and the wait between its attempts. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take. Default: the client's. */
  readonly timeoutMillis?: number | undefined
  /** How long the whole call may take, with every attempt and wait. Default: the client's. */
  readonly deadlineMillis?: number | undefined
  /** How many attempts may follow the first. Default: the client's. */
  readonly maxRetries?: number | undefined
}

/** Options of a call with an idempotency key. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * Names the operation that must happen once: 1 to 255 printable ASCII characters. Default: a new one per call.
   * Pass your own, stored with your order, and the call is safe to repeat even after your process died.
   */
  readonly idempotencyKey?: string | undefined
}

/** Limits on a call's time and attempts. */
export interface Patience {
  readonly timeoutMillis: number
  readonly deadlineMillis: number
  readonly maxRetries: number
}

const oneDayMillis = 86_400_000

/** The requested limits; omitted ones come from `fallback`. Throws `UsageError` for an invalid number. */
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
      throw new UsageError(`${name} is a number of milliseconds above 0 and at most ${oneDayMillis}.`)
    }
  }
  if (!(Number.isInteger(patience.maxRetries) && patience.maxRetries >= 0 && patience.maxRetries <= 20)) {
    throw new UsageError("maxRetries is a whole number from 0 to 20.")
  }
  return patience
}

/** A key that fits in a header. Throws `UsageError` for any other. */
export const readIdempotencyKey = (key: string): string => {
  if (/^[\x20-\x7e]{1,255}$/u.test(key) && key.trim() !== "") return key
  throw new UsageError("idempotencyKey is 1 to 255 printable ASCII characters.")
}
