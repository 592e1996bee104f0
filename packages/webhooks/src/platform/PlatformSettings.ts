import { Context, Duration } from "effect"

/** Settings for sending platform events: limits, waits and retries. */
export interface PlatformSettings {
  /**
   * Maximum number of streams that one process sends at a time. Each merchant's events form a stream, and events that
   * concern no merchant form another. Together with `perStream`, this limits the number of events that a process holds
   * in memory.
   */
  readonly streamsAtOnce: number
  /** Maximum number of a stream's events in one lease. */
  readonly perStream: number
  /** How long a claim leases a stream. Once the lease ends, another process may claim the stream. */
  readonly lease: Duration.Duration
  /** Maximum wait between two claims. If a stream finishes earlier, the next claim starts immediately. */
  readonly pollInterval: Duration.Duration
  /**
   * A failed event is retried indefinitely. The delay doubles from `first` up to `longest`. Jitter lengthens each delay
   * by up to the fraction `jitter`.
   */
  readonly retry: { readonly first: Duration.Duration; readonly longest: Duration.Duration; readonly jitter: number }
  /** Cap on a delay requested by `Retry-After`. */
  readonly longestRetryAfter: Duration.Duration
  /** How long a stopping sender waits for calls in flight to finish. */
  readonly drainTimeout: Duration.Duration
  /** Minimum time between log lines about failed events. */
  readonly logPause: Duration.Duration
}

/**
 * Default settings. There is only one receiver, so retries are frequent. Once the receiver is back, it gets events
 * within about a minute, unless its `Retry-After` requested a longer delay.
 */
export const defaultPlatformSettings: PlatformSettings = {
  streamsAtOnce: 8,
  perStream: 20,
  lease: Duration.seconds(30),
  pollInterval: Duration.millis(500),
  retry: { first: Duration.seconds(1), longest: Duration.minutes(1), jitter: 0.1 },
  longestRetryAfter: Duration.minutes(10),
  drainTimeout: Duration.seconds(6),
  logPause: Duration.minutes(1)
}

/** The current settings, or the defaults if none are provided. Read when `PlatformEvents.layer` is built. */
export const PlatformSettings: Context.Reference<PlatformSettings> = Context.Reference(
  "@surety/webhooks/platform/PlatformSettings",
  { defaultValue: () => defaultPlatformSettings }
)

/** Timeout for one call that sends an event (contract 15.1). */
export const platformCallTimeout = Duration.seconds(5)
