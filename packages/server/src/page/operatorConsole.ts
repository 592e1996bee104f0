import * as Console from "@surety/console/Console"
import { ConsoleSettings, defaultConsoleSettings, SettingsInForce } from "@surety/console/ConsoleSettings"
import type { OidcProvider } from "@surety/console/sign/OidcProvider"
import * as StaticContent from "@surety/http/static/StaticContent"
import { AssetServing } from "@surety/page-kit/asset/AssetServing"
import { Layer } from "effect"
import { platformNameOf, type Settings } from "../settings/Settings.js"
import { themeOf } from "./consentPage.js"

/**
 * Returns the identity provider. Undefined without an issuer. If an issuer is set, `parseSettings` requires the other
 * settings.
 */
const oidcOf = (settings: Settings): OidcProvider | undefined => {
  const { consoleOidcClientId: clientId, consoleOidcClientSecret: clientSecret, consoleOidcIssuer: issuer } = settings
  const roles = settings.consoleOidcRoles
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || roles === undefined)
    return undefined
  return {
    issuer,
    clientId,
    clientSecret,
    roles,
    rolesClaim: settings.consoleOidcRolesClaim,
    nameClaim: settings.consoleOidcNameClaim,
    scope: settings.consoleOidcScope,
    name: new URL(issuer).hostname
  }
}

/**
 * Serves the operator console with these settings, on a server at `publicUrl`. Adds no routes if the console is off or
 * no one could sign in.
 */
export const layer = (settings: Settings, publicUrl: string, hasTokens: boolean) => {
  const oidc = oidcOf(settings)
  if (!settings.console || (!hasTokens && oidc === undefined)) return Layer.empty
  return Console.layer.pipe(
    Layer.provide(Layer.succeed(AssetServing, StaticContent.make)),
    Layer.provide(Layer.succeed(SettingsInForce, settings.inForce)),
    Layer.provide(
      Layer.succeed(ConsoleSettings, {
        ...defaultConsoleSettings,
        publicUrl,
        basePath: settings.basePath,
        platform: platformNameOf(settings, publicUrl),
        theme: { ...defaultConsoleSettings.theme, ...themeOf(settings) },
        timeZone: settings.consoleTimeZone,
        signIn: { byToken: hasTokens, oidc }
      })
    )
  )
}
