import type { CallError } from "./CallError.js"
import { readBaseUrl } from "./call/BaseUrl.js"
import { type Patience, readPatience } from "./call/CallOptions.js"
import { readSecretKey } from "./call/SecretKey.js"

/** A failed attempt and the delay before the next one. */
export interface Retry {
  /** The error with which the call would fail if this were the last attempt. */
  readonly error: CallError
  readonly delayMillis: number
}

/** Options of `createClient`, which throws `UsageError` if one is invalid. */
export interface ClientOptions {
  /** Your secret key, `sk_test_…` or `sk_live_…`. It leaves the client only in the `Authorization` header. */
  readonly apiKey: string | undefined
  /** The service's base url including any path prefix, with or without `/v1`. Must be https, except on this machine. */
  readonly baseUrl: string | undefined
  /** Time limit of one attempt. Default 30,000. */
  readonly timeoutMillis?: number | undefined
  /** Time limit of a whole call, including every attempt and wait. Default 120,000. */
  readonly deadlineMillis?: number | undefined
  /** Maximum number of retries after the first attempt. Default 3. */
  readonly maxRetries?: number | undefined
  /** Replaces the runtime's `fetch`, for example for a proxy or a test. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Called before the wait for each retry, for logging. Exceptions that it throws are ignored. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

/** Settings of a client. Stored only in closures, so printing the client does not show the key. */
export interface Settings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly patience: Patience
  readonly onRetry: (retry: Retry) => void
}

const defaults: Patience = { timeoutMillis: 30_000, deadlineMillis: 120_000, maxRetries: 3 }

/** Reads and checks the options. Throws `UsageError` for invalid ones, without quoting their values. */
export const readOptions = (options: ClientOptions): Settings => ({
  apiKey: readSecretKey(options.apiKey),
  baseUrl: readBaseUrl(options.baseUrl),
  patience: readPatience(options, defaults),
  onRetry: (retry) => {
    try {
      options.onRetry?.(retry)
    } catch {
      // A failing logger must not hide a call's outcome from the caller.
    }
  }
})
