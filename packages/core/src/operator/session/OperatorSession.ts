import { Duration, Schema } from "effect"
import { OperatorSessionId } from "../../Ids.js"
import { OperatorRole } from "../Operator.js"

/** How the operator signed in: with a named token, at the organisation's identity provider, or by the host. */
export const SignInMethod = Schema.Literals(["TOKEN", "OIDC", "HOST"])
export type SignInMethod = typeof SignInMethod.Type

/** SHA-256 of a session's token, in hex. A fast hash suffices: the token has 256 random bits. */
export const SessionTokenHash = Schema.String.pipe(Schema.brand("SessionTokenHash"))
export type SessionTokenHash = typeof SessionTokenHash.Type

/** An operator who is signed in to the console. */
export const OperatorSession = Schema.Struct({
  id: OperatorSessionId,
  /** The operator's name, which its actions have too. */
  operator: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)),
  /**
   * As of the sign-in. A named token's roles are read again at each request; the console also reads those of the host
   * again.
   */
  roles: Schema.Array(OperatorRole),
  signedInBy: SignInMethod,
  /** Identifies the token that was used, by a hash that cannot be used to sign in. `TOKEN` only. */
  credential: Schema.optionalKey(Schema.String),
  /** The network that the operator came from, never the whole address. */
  address: Schema.optionalKey(Schema.String),
  /** The beginning of the browser's user agent. */
  userAgent: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtc,
  /** To the minute. */
  lastUsedAt: Schema.DateTimeUtc,
  /** When it ends, however much it is used. */
  endsAt: Schema.DateTimeUtc
})
export type OperatorSession = typeof OperatorSession.Type

/** How often `lastUsedAt` is written, at most. */
export const touchEvery = Duration.minutes(1)

/** The longest user agent that is kept, in characters. */
export const longestUserAgent = 120
