import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaultPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { readLogo } from "@surety/consent-page/look/LogoFile"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as SandboxPage from "@surety/consent-page/SandboxPage"
import { catalogsOf } from "@surety/consent-page/words/catalogs"
import { consoleTemplateOf } from "@surety/console/ConsolePaths"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import * as StaticContent from "@surety/http/static/StaticContent"
import { AssetServing } from "@surety/page-kit/asset/AssetServing"
import { darkAccentOf } from "@surety/page-kit/look/Palette"
import { Layer, Result } from "effect"
import type { ReadOptions } from "../readOptions.js"
import type { ConsentPageOptions, SuretyOptions } from "../SuretyOptions.js"

/**
 * Layer that maps paths of the hosted pages and the console to route templates, so that the tokens in page urls are not
 * logged.
 */
export const logged: Layer.Layer<never> = Layer.succeed(
  HostedRoutes,
  (path) => pageTemplateOf(path) ?? consoleTemplateOf(path)
)

const themeOf = ({ accent, accentDark }: ConsentPageOptions) => ({
  ...defaultPageSettings.theme,
  ...(accent === undefined ? {} : { accent, accentDark: darkAccentOf(accent) }),
  ...(accentDark === undefined ? {} : { accentDark })
})

export const routes = ({ consentPage }: SuretyOptions, { basePath, publicUrl }: ReadOptions) => {
  if (consentPage === "off") return Layer.empty
  const { contact, home, name = new URL(publicUrl).hostname, ...looks } = consentPage ?? {}
  const settings = {
    ...defaultPageSettings,
    publicUrl,
    basePath,
    platform: { name, contact },
    home,
    catalogs:
      looks.languages === undefined ? defaultPageSettings.catalogs : Result.getOrThrow(catalogsOf(looks.languages)),
    logo: looks.logo === undefined ? undefined : Result.getOrThrow(readLogo(looks.logo)),
    theme: themeOf(looks)
  }
  return Layer.merge(ConsentPage.layer, SandboxPage.layer).pipe(
    Layer.provide([Layer.succeed(ConsentPageSettings, settings), Layer.succeed(AssetServing, StaticContent.make)])
  )
}
