import type { OperatorRole } from "@surety/core/operator/Operator"
import { Context, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type ConsoleTheme, defaultConsoleTheme } from "./look/stylesheet.js"
import type { OidcProvider } from "./sign/OidcProvider.js"

/** An operator named by the host's own session. */
export interface HostOperator {
  /**
   * 1 to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit. Must stay the same for one
   * operator, since actions are recorded under it.
   */
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
}

/** Sign-in methods for operators. A host may offer several. */
export interface SignInWays {
  /** True if operators may sign in with their tokens from core's `OperatorTokens`. */
  readonly byToken: boolean
  /** OpenID Connect provider for sign-in. */
  readonly oidc?: OidcProvider | undefined
  /** Returns the operator that the host's own session names for a request, or `undefined` if no one is signed in. */
  readonly byHost?:
    | ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HostOperator | undefined>)
    | undefined
}

export class ConsoleSettings extends Context.Service<
  ConsoleSettings,
  {
    /** Public url of the service for operators' browsers, including the base path but no trailing slash. */
    readonly publicUrl: string
    /** Path prefix of the routes: empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    readonly platform: string
    readonly theme: ConsoleTheme
    /** IANA time zone for displayed times. */
    readonly timeZone: string
    readonly signIn: SignInWays
  }
>()("@surety/console/ConsoleSettings") {}

/** Defaults of all settings but `publicUrl`, `platform` and `signIn`. */
export const defaultConsoleSettings = {
  basePath: "",
  theme: defaultConsoleTheme,
  timeZone: "UTC"
} satisfies Partial<ConsoleSettings["Service"]>

export interface SettingInForce {
  readonly name: string
  readonly meaning: string
  /** The value as a string. For a secret, only whether it is set. */
  readonly value: string
}

/** Deployment settings shown on the console's settings page. Default: empty. */
export const SettingsInForce = Context.Reference<ReadonlyArray<SettingInForce>>("@surety/console/SettingsInForce", {
  defaultValue: () => []
})
