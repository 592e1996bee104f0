import type { OperatorRole } from "@surety/core/operator/Operator"
import type { Redacted } from "effect"

/** An OpenID Connect provider at which operators sign in. */
export interface OidcProvider {
  /** The issuer's url, below which its configuration is published. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** The provider's name, as the button says it. */
  readonly name: string
  /** What is asked for, space separated; `openid` is among it. */
  readonly scope: string
  /**
   * The claim of the ID token that names the operator. People must not be able to change it themselves: with a name of
   * their own choice an operator could approve what they proposed.
   */
  readonly nameClaim: string
  /** The claim of the ID token that has the operator's groups or roles: a text or a list of texts. */
  readonly rolesClaim: string
  /** Which role each value of that claim gives. Values that are not listed give none. */
  readonly roles: Readonly<Record<string, OperatorRole>>
}
