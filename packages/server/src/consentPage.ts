import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaultPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { AssetServing } from "@surety/consent-page/route/AssetServing"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as SandboxPage from "@surety/consent-page/SandboxPage"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import * as StaticContent from "@surety/http/static/StaticContent"
import { Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** The consent page of these settings, and the sandbox's page beside it, for a server at `publicUrl`. */
export const layer = (settings: Settings, publicUrl: string) =>
  Layer.merge(ConsentPage.layer, SandboxPage.layer).pipe(
    Layer.provide(Layer.succeed(AssetServing, StaticContent.make)),
    Layer.provide(
      Layer.succeed(ConsentPageSettings, {
        ...defaultPageSettings,
        publicUrl,
        basePath: settings.basePath,
        platform: {
          name: settings.consentPageName ?? new URL(publicUrl).hostname,
          contact: settings.consentPageContact
        },
        catalogs: settings.consentPageLanguages
      })
    )
  )

/** Logs the pages' routes by template, because their addresses hold tokens. */
export const logged: Layer.Layer<never> = Layer.succeed(HostedRoutes, pageTemplateOf)
