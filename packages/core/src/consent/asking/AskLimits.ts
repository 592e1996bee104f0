import { Context, Duration } from "effect"
import type { Environment } from "../../Environment.js"

/** Limits on a merchant's requests to one person. Setting a limit to 0 turns it off. */
export interface AskLimits {
  /** Maximum pending requests from one merchant to one person. */
  readonly open: number
  /** Maximum new requests from one merchant to one person within `askDay`. */
  readonly perDay: number
  /** How long after a denial the same fields may not be requested again for the same purpose. */
  readonly againAfter: Duration.Duration
}

/** The window of `AskLimits.perDay`. */
export const askDay = Duration.hours(24)

export const defaultAskLimits: AskLimits = { open: 5, perDay: 10, againAfter: Duration.hours(24) }

/** The limits in force. A host can override them, for example with `{ ...defaultAskLimits, perDay: 3 }`. */
export const AskLimits = Context.Reference<AskLimits>("@surety/core/consent/asking/AskLimits", {
  defaultValue: () => defaultAskLimits
})

/**
 * Returns true if `AskLimits` and blocks apply to new requests to this consumer. In LIVE they always do; in TEST only
 * if the consumer was created with `askLimits`.
 */
export const isBounded = (environment: Environment, consumer: { readonly askLimits?: boolean }): boolean =>
  environment === "LIVE" || consumer.askLimits === true
