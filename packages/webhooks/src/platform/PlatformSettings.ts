import { Context, Duration } from "effect"

/** Every limit, wait and retry of platform events. */
export interface PlatformSettings {
  /** How many merchants' events one process sends at a time. With `perStream` it bounds the memory. */
  readonly streamsAtOnce: number
  /** How many events of a merchant one lease takes. */
  readonly perStream: number
  /** How long a merchant's events are leased. */
  readonly lease: Duration.Duration
  /** How often to look for events without being woken. */
  readonly pollInterval: Duration.Duration
  /** A failed event is sent again after `first`, then after twice as long each time, up to `longest`, without end. */
  readonly retry: { readonly first: Duration.Duration; readonly longest: Duration.Duration; readonly jitter: number }
  /** `Retry-After` is honoured up to this. */
  readonly longestRetryAfter: Duration.Duration
  /** How long a stopping sender waits for its calls in flight. */
  readonly drainTimeout: Duration.Duration
  /** Minimum time between two log lines about failures. */
  readonly logPause: Duration.Duration
}

/** There is only one receiver, so it waits at most a minute for events once it is back. */
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

/** The settings in force; `defaults` unless provided. Read once, when the sender is built. */
export const PlatformSettings: Context.Reference<PlatformSettings> = Context.Reference(
  "@surety/webhooks/platform/PlatformSettings",
  { defaultValue: () => defaultPlatformSettings }
)

/** Timeout of one call (contract 15.1). */
export const platformCallTimeout = Duration.seconds(5)
