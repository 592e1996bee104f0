import type { CallError } from "./CallError.js"
import { readBaseUrl } from "./call/BaseUrl.js"
import { type Patience, readPatience } from "./call/CallOptions.js"
import { readSecretKey } from "./call/SecretKey.js"

/** A failed attempt, and when the next one follows. */
export interface Retry {
  /** The error with which the call would have failed if this were the last attempt. */
  readonly error: CallError
  readonly delayMillis: number
}

/** Options of a client. */
export interface ClientOptions {
  /** Your secret key, `sk_test_…` or `sk_live_…`. It leaves the client only in the `Authorization` header. */
  readonly apiKey: string | undefined
  /** The service's base address with its path prefix, with or without `/v1`. https, except for this machine. */
  readonly baseUrl: string | undefined
  /** How long one attempt may take. Default 30,000. */
  readonly timeoutMillis?: number | undefined
  /** How long a whole call may take, with every attempt and wait. Default 120,000. */
  readonly deadlineMillis?: number | undefined
  /** How many attempts may follow the first one. Default 3. */
  readonly maxRetries?: number | undefined
  /** Replaces the runtime's `fetch`: for a proxy, mutual TLS, or a test. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Called with each failed attempt that will be retried, for your log. Its exceptions are ignored. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

/** State that all calls of a client share. Kept in closures only, so that nothing prints it. */
export interface Settings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly patience: Patience
  readonly onRetry: (retry: Retry) => void
}

const defaults: Patience = { timeoutMillis: 30_000, deadlineMillis: 120_000, maxRetries: 3 }

/** Throws `UsageError` for invalid options, without their values. */
export const readOptions = (options: ClientOptions): Settings => ({
  apiKey: readSecretKey(options.apiKey),
  baseUrl: readBaseUrl(options.baseUrl),
  patience: readPatience(options, defaults),
  onRetry: (retry) => {
    try {
      options.onRetry?.(retry)
    } catch {
      // A failing logger must not hide a refund's outcome from the caller.
    }
  }
})
