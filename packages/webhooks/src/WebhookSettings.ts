import { Context, Duration } from "effect"
import { type RetrySchedule, standardRetrySchedule } from "./delivery/RetrySchedule.js"

/** The most attempts that a lane of one dispatcher has in flight. */
export interface LaneSettings {
  readonly concurrency: number
  /** For each endpoint, across all dispatchers. */
  readonly perEndpoint: number
  /** After `after`, an attempt no longer counts towards `concurrency`. At most `limit` such attempts. */
  readonly slow?: { readonly after: Duration.Duration; readonly limit: number }
}

/** Every limit, wait and retry of this package. */
export interface WebhookSettings {
  readonly retrySchedule: RetrySchedule
  /** For a whole attempt: connecting, sending, reading the response. */
  readonly attemptTimeout: Duration.Duration
  /** Bytes of a response's body that are read and stored. */
  readonly responseLimitBytes: number
  /** How long a claim leases a delivery. Longer than `attemptTimeout` by enough time to record the attempt. */
  readonly lease: Duration.Duration
  /** How often to claim without a signal: for retries, and for deliveries that other processes committed. */
  readonly pollInterval: Duration.Duration
  /**
   * A lane that has claimed `claimed` deliveries within `within` waits before the next claim, so that one claim takes many
   * deliveries instead of one per ended attempt.
   */
  readonly claimGap: {
    readonly claimed: number
    readonly within: Duration.Duration
    readonly wait: Duration.Duration
  }
  /** The most deliveries that one claim takes. */
  readonly claimLimit: number
  /** For new endpoints and those whose last attempt succeeded. */
  readonly steady: LaneSettings
  /** For endpoints whose last attempt failed. Separate slots, so they take none from the steady ones. */
  readonly failing: LaneSettings
  /** How long a stopping dispatcher waits for attempts in flight. */
  readonly drainTimeout: Duration.Duration
  /** Backoff after a store failure: doubles from `first` up to `longest`. */
  readonly storeRetry: { readonly first: Duration.Duration; readonly longest: Duration.Duration }
}

/**
 * Contract 11's values where it names one. Lease plus poll stay under the 30 s within which a dead sender's attempts must be
 * taken over. Slots are plentiful, since a waiting attempt costs little more than a socket.
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

/** The settings in force; `defaults` unless provided. Read once, when a layer of this package is built. */
export const WebhookSettings: Context.Reference<WebhookSettings> = Context.Reference(
  "@surety/webhooks/WebhookSettings",
  { defaultValue: () => defaultWebhookSettings }
)
