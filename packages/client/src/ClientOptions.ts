import { readBaseUrl } from "./BaseUrl.js"
import type { CallError } from "./CallError.js"
import { type Patience, readPatience } from "./CallOptions.js"
import { readSecretKey } from "./SecretKey.js"

/** An attempt that failed, and when the next one follows. */
export interface Retry {
  /** What the call would have failed with, had it been the last attempt. */
  readonly error: CallError
  readonly delayMillis: number
}

/** How a client is made. */
export interface ClientOptions {
  /** Your secret key, `sk_test_…` or `sk_live_…`. It never leaves the client but in the `Authorization` header. */
  readonly apiKey: string | undefined
  /** The service's base address, with its path prefix if it has one. https, but for this machine itself. */
  readonly baseUrl: string | undefined
  /** How long one attempt may take. Default 30,000. */
  readonly timeoutMillis?: number | undefined
  /** How long a whole call may take, with every attempt and wait. Default 120,000. */
  readonly deadlineMillis?: number | undefined
  /** How many attempts may follow the first one. Default 3. */
  readonly maxRetries?: number | undefined
  /** In place of the runtime's `fetch`: for a proxy, mutual TLS, or a test. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Told of each failed attempt that is followed by another: for your log. What it throws is ignored. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

/** What every call of a client shares. Held in closures alone, so that nothing prints it. */
export interface Settings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly patience: Patience
  readonly onRetry: (retry: Retry) => void
}

const defaults: Patience = { timeoutMillis: 30_000, deadlineMillis: 120_000, maxRetries: 3 }

/** Throws `UsageError` for what cannot be right, without what was given. */
export const readOptions = (options: ClientOptions): Settings => ({
  apiKey: readSecretKey(options.apiKey),
  baseUrl: readBaseUrl(options.baseUrl),
  patience: readPatience(options, defaults),
  onRetry: (retry) => {
    try {
      options.onRetry?.(retry)
    } catch {
      // A logger that fails must not keep a refund's outcome from its caller.
    }
  }
})
