import type { OperatorRole } from "@surety/core/operator/Operator"
import type { Redacted } from "effect"

export interface OidcProvider {
  /** The issuer's url, under which its configuration is published. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** The provider's name on the sign-in button. */
  readonly name: string
  /** Requested scopes, separated by spaces, including `openid`. */
  readonly scope: string
  /**
   * ID token claim that names the operator. Operators must not be able to change this claim: under another name, they
   * could approve their own proposals.
   */
  readonly nameClaim: string
  /** ID token claim with the operator's groups or roles: a string or a list of strings. */
  readonly rolesClaim: string
  /** Roles by value of `rolesClaim`. Unlisted values grant none. */
  readonly roles: Readonly<Record<string, OperatorRole>>
}
