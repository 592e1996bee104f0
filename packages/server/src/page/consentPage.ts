import * as ConsentPage from "@surety/consent-page/ConsentPage"
import {
  ConsentPageSettings,
  defaultPageSettings,
  defaultTheme,
  type Theme
} from "@surety/consent-page/ConsentPageSettings"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as SandboxPage from "@surety/consent-page/SandboxPage"
import { consoleTemplateOf } from "@surety/console/ConsolePaths"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import * as StaticContent from "@surety/http/static/StaticContent"
import { AssetServing } from "@surety/page-kit/asset/AssetServing"
import { darkAccentOf } from "@surety/page-kit/look/Palette"
import { Layer } from "effect"
import { platformNameOf, type Settings } from "../settings/Settings.js"

/**
 * Returns the platform's colours, with defaults for those that are not set. If only the accent is set, the dark accent
 * is derived from it.
 */
export const themeOf = ({ consentPageAccent: accent, consentPageAccentDark: accentDark }: Settings): Theme => ({
  ...defaultTheme,
  ...(accent === undefined ? {} : { accent, accentDark: darkAccentOf(accent) }),
  ...(accentDark === undefined ? {} : { accentDark })
})

export const layer = (settings: Settings, publicUrl: string) =>
  Layer.merge(ConsentPage.layer, SandboxPage.layer).pipe(
    Layer.provide(Layer.succeed(AssetServing, StaticContent.make)),
    Layer.provide(
      Layer.succeed(ConsentPageSettings, {
        ...defaultPageSettings,
        publicUrl,
        basePath: settings.basePath,
        platform: {
          name: platformNameOf(settings, publicUrl),
          contact: settings.consentPageContact
        },
        logo: settings.consentPageLogo,
        home: settings.consentPageHome,
        theme: themeOf(settings),
        catalogs: settings.consentPageLanguages
      })
    )
  )

/**
 * Provides the route templates of the consent pages and the console. Requests for these pages are logged by template,
 * since their paths may contain tokens.
 */
export const logged: Layer.Layer<never> = Layer.succeed(
  HostedRoutes,
  (path) => pageTemplateOf(path) ?? consoleTemplateOf(path)
)
