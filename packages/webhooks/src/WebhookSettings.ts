import { Context, Duration } from "effect"
import { type RetrySchedule, standard } from "./delivery/RetrySchedule.js"

/** How many attempts one dispatcher has under way at a time, of all endpoints of a kind and of each of them. */
export interface LaneSettings {
  readonly concurrency: number
  /** Counts those that other dispatchers have under way. */
  readonly perEndpoint: number
  /** An attempt that takes longer than `after` goes on without counting in `concurrency`, up to `limit` of them. */
  readonly slow?: { readonly after: Duration.Duration; readonly limit: number }
}

/** How webhooks are sent. Every limit, wait and retry of this package has its name here. */
export interface WebhookSettings {
  readonly retrySchedule: RetrySchedule
  /** For a whole attempt: connecting, sending, and reading the answer. */
  readonly attemptTimeout: Duration.Duration
  /** How much of an answer's body is read and kept, in bytes. */
  readonly answerLimitBytes: number
  /** How long a claimed delivery is the dispatcher's own. Longer than `attemptTimeout`, by enough time to record. */
  readonly lease: Duration.Duration
  /** How often due deliveries are looked for that no signal told of: other processes' ones, and retries. */
  readonly pollInterval: Duration.Duration
  /**
   * A lane that has claimed at least so many deliveries within so long waits before the next claim: then one claim takes
   * many deliveries, instead of one for each attempt that ends.
   */
  readonly claimGap: {
    readonly claimed: number
    readonly within: Duration.Duration
    readonly wait: Duration.Duration
  }
  /** How many deliveries are claimed at once. */
  readonly claimLimit: number
  /** For endpoints whose last attempt succeeded, and new ones. */
  readonly steady: LaneSettings
  /** For endpoints whose last attempt failed. They have slots of their own, so that they take none of the others'. */
  readonly failing: LaneSettings
  /** How long a dispatcher that stops lets what is under way finish. */
  readonly drainTimeout: Duration.Duration
  /** The first and the longest wait before the store is asked again after it failed; each is twice the one before. */
  readonly storeRetry: { readonly first: Duration.Duration; readonly longest: Duration.Duration }
}

/**
 * Contract 11's numbers where it has some. The lease and a poll together stay under the 30 s in which a dead sender's
 * attempts are to be taken over. Slots are plenty, since an attempt that waits costs a socket and little else.
 */
export const defaults: WebhookSettings = {
  retrySchedule: standard,
  attemptTimeout: Duration.seconds(15),
  answerLimitBytes: 4096,
  lease: Duration.seconds(25),
  pollInterval: Duration.millis(500),
  claimGap: { claimed: 10, within: Duration.millis(50), wait: Duration.millis(4) },
  claimLimit: 200,
  steady: { concurrency: 1024, perEndpoint: 64, slow: { after: Duration.seconds(1), limit: 4096 } },
  failing: { concurrency: 256, perEndpoint: 1 },
  drainTimeout: Duration.seconds(20),
  storeRetry: { first: Duration.millis(100), longest: Duration.seconds(2) }
}

/** The settings in force: `defaults` unless a layer provides others. Read once, when a layer of this package is built. */
export const WebhookSettings: Context.Reference<WebhookSettings> = Context.Reference(
  "@surety/webhooks/WebhookSettings",
  { defaultValue: () => defaults }
)
