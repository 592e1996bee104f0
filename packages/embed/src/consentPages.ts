import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaultPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { AssetServing } from "@surety/consent-page/route/AssetServing"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as SandboxPage from "@surety/consent-page/SandboxPage"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import * as StaticContent from "@surety/http/static/StaticContent"
import { Layer } from "effect"
import type { ReadOptions } from "./readOptions.js"
import type { SuretyOptions } from "./SuretyOptions.js"

/** Logs the pages' routes by template, because their addresses hold tokens. */
export const logged: Layer.Layer<never> = Layer.succeed(HostedRoutes, pageTemplateOf)

/** The pages' routes, beside those of the interface. */
export const routes = ({ consentPage }: SuretyOptions, { basePath, publicUrl }: ReadOptions) => {
  if (consentPage === "off") return Layer.empty
  const { contact, name = new URL(publicUrl).hostname } = consentPage ?? {}
  const settings = { ...defaultPageSettings, publicUrl, basePath, platform: { name, contact } }
  return Layer.merge(ConsentPage.layer, SandboxPage.layer).pipe(
    Layer.provide([Layer.succeed(ConsentPageSettings, settings), Layer.succeed(AssetServing, StaticContent.make)])
  )
}
