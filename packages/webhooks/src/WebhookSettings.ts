import { Context, Duration } from "effect"
import { type RetrySchedule, standardRetrySchedule } from "./delivery/RetrySchedule.js"

/** Limits on attempts in flight at one kind of endpoint, steady or failing. `concurrency` is per dispatcher. */
export interface LaneSettings {
  readonly concurrency: number
  /** A claim leases no more of an endpoint's deliveries once this many are leased, counted across all dispatchers. */
  readonly perEndpoint: number
  /**
   * An attempt that has run for `after` no longer counts towards `concurrency`. This applies to at most `limit`
   * attempts at a time. If `slow` is omitted, every attempt counts.
   */
  readonly slow?: { readonly after: Duration.Duration; readonly limit: number }
}

/** Settings of the webhook sender: its limits, waits and retries. */
export interface WebhookSettings {
  readonly retrySchedule: RetrySchedule
  /** Timeout for a whole attempt: connecting, sending and reading the response. */
  readonly attemptTimeout: Duration.Duration
  /** Maximum number of bytes of a response body to read and store. */
  readonly responseLimitBytes: number
  /** How long a claim leases a delivery. Must exceed `attemptTimeout` by enough time to record the attempt. */
  readonly lease: Duration.Duration
  /** How often to claim without a signal, for retries and for deliveries committed by other processes. */
  readonly pollInterval: Duration.Duration
  /**
   * A lane that has claimed at least `claimed` deliveries within `within` waits for `wait` before its next claim.
   * Without this pause, it might claim once for each attempt that ends.
   */
  readonly claimGap: {
    readonly claimed: number
    readonly within: Duration.Duration
    readonly wait: Duration.Duration
  }
  /** Maximum number of deliveries in one claim. */
  readonly claimLimit: number
  /** Limits for endpoints that are not failing, including new and re-enabled ones. */
  readonly steady: LaneSettings
  /** Limits for endpoints with a `failingSince`. Their slots are separate, so they take none from steady endpoints. */
  readonly failing: LaneSettings
  /** How long a stopping dispatcher waits for attempts in flight to finish. */
  readonly drainTimeout: Duration.Duration
  /** Backoff after a store failure: doubles from `first` up to `longest`. */
  readonly storeRetry: { readonly first: Duration.Duration; readonly longest: Duration.Duration }
}

/**
 * Default settings. Timeouts, limits and retries follow contract 11 where it specifies them. The lease plus the poll
 * interval stays under 30 s, the limit for taking over a dead sender's attempts. Slots are plentiful, since a waiting
 * attempt costs little more than a socket.
 */
export const defaultWebhookSettings: WebhookSettings = {
  retrySchedule: standardRetrySchedule,
  attemptTimeout: Duration.seconds(15),
  responseLimitBytes: 4096,
  lease: Duration.seconds(25),
  pollInterval: Duration.millis(500),
  claimGap: { claimed: 10, within: Duration.millis(50), wait: Duration.millis(4) },
  claimLimit: 200,
  steady: { concurrency: 1024, perEndpoint: 64, slow: { after: Duration.seconds(1), limit: 4096 } },
  failing: { concurrency: 256, perEndpoint: 1 },
  drainTimeout: Duration.seconds(20),
  storeRetry: { first: Duration.millis(100), longest: Duration.seconds(2) }
}

/** The current settings, or the defaults if none are provided. Read when a layer of this package is built. */
export const WebhookSettings: Context.Reference<WebhookSettings> = Context.Reference(
  "@surety/webhooks/WebhookSettings",
  { defaultValue: () => defaultWebhookSettings }
)
