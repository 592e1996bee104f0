import { Context, Duration } from "effect"
import type { Environment } from "../../Environment.js"

/** How often a merchant may ask one person. 0 means no bound. */
export interface AskLimits {
  /** Pending requests of one merchant to one person. */
  readonly open: number
  /** New requests of one merchant to one person within `askDay`. */
  readonly perDay: number
  /** How long after a denial the same fields may not be requested again for the same purpose. */
  readonly againAfter: Duration.Duration
}

/** The window of `AskLimits.perDay`. */
export const askDay = Duration.hours(24)

export const defaultAskLimits: AskLimits = { open: 5, perDay: 10, againAfter: Duration.hours(24) }

/** The bounds in force. A host provides its own, most simply `{ ...defaultAskLimits, perDay: 3 }`. */
export const AskLimits = Context.Reference<AskLimits>("@surety/core/consent/asking/AskLimits", {
  defaultValue: () => defaultAskLimits
})

/**
 * Whether requests to this consumer are bounded: always in LIVE, in TEST only if the consumer was created with limits.
 */
export const isBounded = (environment: Environment, consumer: { readonly askLimits?: boolean }): boolean =>
  environment === "LIVE" || consumer.askLimits === true
