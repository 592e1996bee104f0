import { DateTime, Schema } from "effect"

/**
 * The provider's name for a channel on which a one-time code reaches the holder, such as `phone` or `email`. Never an
 * address.
 */
export const CodeChannel = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,31}$/u, { expected: "1 to 32 lower-case letters, digits and underscores" })
)
export type CodeChannel = typeof CodeChannel.Type

const mostChannels = 8

/**
 * Matches an http or https url of limited length. Excludes credentials, and characters such as spaces, double quotes
 * and angle brackets.
 */
const pageUrl =
  /^https?:\/\/(?:[a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?(?:[/?][!#-;=?-[\]_a-z~]{0,1700})?$/iu

/** The url of the holder's consent page. */
export const ActionUrl = Schema.String.check(
  Schema.isPattern(pageUrl, { expected: "an http or https url without credentials" })
)

/** The holder enters the one-time code sent to them. */
export const CodeAction = Schema.Struct({
  type: Schema.Literal("CODE"),
  /** Channels on which the code was sent or may be sent. Empty if the provider does not say. */
  channels: Schema.Array(CodeChannel).check(Schema.isMaxLength(mostChannels)),
  expiresAt: Schema.DateTimeUtc
})

/** The holder consents on a page. */
export const RedirectAction = Schema.Struct({
  type: Schema.Literal("REDIRECT"),
  url: ActionUrl,
  expiresAt: Schema.DateTimeUtc
})

/** A step that the holder must take before a verification continues (contract 8). */
export const NextAction = Schema.Union([CodeAction, RedirectAction])
export type NextAction = typeof NextAction.Type

/** Returns true if the holder's time to act has run out. */
export const isExpired = ({ expiresAt }: NextAction, now: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(expiresAt, now)

/** Limits an action's expiry to `latest`. */
export const endingBy = <A extends NextAction>(action: A, latest: DateTime.Utc): A => ({
  ...action,
  expiresAt: DateTime.min(action.expiresAt, latest)
})
