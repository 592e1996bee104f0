import { Context, Duration } from "effect"
import type { Environment } from "../../Environment.js"

/** How often a merchant may ask one person. 0 is no bound. */
export interface AskLimits {
  /** Pending requests of one merchant for one person. */
  readonly open: number
  /** New requests of one merchant for one person in `askDay`. */
  readonly perDay: number
  /** How long after a denial the same fields may not be asked for again for the same purpose. */
  readonly againAfter: Duration.Duration
}

/** The stretch of time that `AskLimits.perDay` counts in. */
export const askDay = Duration.hours(24)

export const defaultAskLimits: AskLimits = { open: 5, perDay: 10, againAfter: Duration.hours(24) }

/** The bounds in force. A host provides its own, most simply `{ ...defaultAskLimits, perDay: 3 }`. */
export const AskLimits = Context.Reference<AskLimits>("@surety/core/consent/asking/AskLimits", {
  defaultValue: () => defaultAskLimits
})

/** Whether asking this person is bounded: always in LIVE, in TEST if the consumer was made so. */
export const isBounded = (environment: Environment, consumer: { readonly askLimits?: boolean }): boolean =>
  environment === "LIVE" || consumer.askLimits === true
