import type { OperatorRole } from "@surety/core/operator/Operator"
import { Context, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type ConsoleTheme, defaultConsoleTheme } from "./look/stylesheet.js"
import type { OidcProvider } from "./sign/OidcProvider.js"

/** An operator whom the host's own session names. */
export interface HostOperator {
  /** 1 to 64 letters, digits, dots, dashes and underscores; the same person has the same name each time. */
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
}

/** How operators sign in. Several ways may be offered at once. */
export interface SignInWays {
  /** Whether operators may sign in with their tokens: those of core's `OperatorTokens`. */
  readonly byToken: boolean
  /** Sign-in at an OpenID Connect provider. */
  readonly oidc?: OidcProvider | undefined
  /** The operator of a request, by the host's own session; undefined if no one is signed in. */
  readonly byHost?:
    | ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HostOperator | undefined>)
    | undefined
}

/** The host's settings of the console. */
export class ConsoleSettings extends Context.Service<
  ConsoleSettings,
  {
    /** How operators' browsers reach the service, base path included, without a trailing slash. */
    readonly publicUrl: string
    /** The routes' prefix. Empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** The platform's name. */
    readonly platform: string
    readonly theme: ConsoleTheme
    /** The IANA time zone of the times shown. */
    readonly timeZone: string
    readonly signIn: SignInWays
  }
>()("@surety/console/ConsoleSettings") {}

/** Default settings. */
export const defaultConsoleSettings = {
  basePath: "",
  theme: defaultConsoleTheme,
  timeZone: "UTC"
} satisfies Partial<ConsoleSettings["Service"]>

/** One setting of the deployment, as in force. */
export interface SettingInForce {
  readonly name: string
  readonly meaning: string
  /** As text. A secret's value is never here: "set" or "not set". */
  readonly value: string
}

/** The deployment's settings, for the console's settings page. Default: none, for a host that does not provide them. */
export const SettingsInForce = Context.Reference<ReadonlyArray<SettingInForce>>("@surety/console/SettingsInForce", {
  defaultValue: () => []
})
