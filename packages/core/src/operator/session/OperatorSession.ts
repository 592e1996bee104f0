import { Duration, Schema } from "effect"
import { OperatorSessionId } from "../../Ids.js"
import { OperatorRole } from "../Operator.js"

export const SignInMethod = Schema.Literals(["TOKEN", "OIDC", "HOST"])
export type SignInMethod = typeof SignInMethod.Type

/** SHA-256 of a session's token, in hex. A fast hash suffices: the token has 256 random bits. */
export const SessionTokenHash = Schema.String.pipe(Schema.brand("SessionTokenHash"))
export type SessionTokenHash = typeof SessionTokenHash.Type

export const OperatorSession = Schema.Struct({
  id: OperatorSessionId,
  /** The operator's name, as recorded in the audit log. */
  operator: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)),
  /**
   * Roles at sign-in. For `TOKEN`, `OperatorSessions.use` replaces them with the token's current role. On each request,
   * the console drops roles that its settings no longer allow, and for `HOST` asks the host for the current ones.
   */
  roles: Schema.Array(OperatorRole),
  signedInBy: SignInMethod,
  /**
   * Hash that identifies the operator's sign-in token, but cannot itself be used to sign in. Present for `TOKEN` only.
   */
  credential: Schema.optionalKey(Schema.String),
  /** Network of the operator's address, never the full address. */
  address: Schema.optionalKey(Schema.String),
  /** Start of the browser's user agent string. */
  userAgent: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtc,
  /** Time of the last request, accurate to about a minute. */
  lastUsedAt: Schema.DateTimeUtc,
  /** Latest time at which the session ends, regardless of use. */
  endsAt: Schema.DateTimeUtc
})
export type OperatorSession = typeof OperatorSession.Type

/** Minimum interval between updates of `lastUsedAt`. */
export const touchEvery = Duration.minutes(1)

/** Maximum length of a stored user agent, in characters. */
export const longestUserAgent = 120
