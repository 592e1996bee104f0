import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaults } from "@surety/consent-page/ConsentPageSettings"
import { AssetServing } from "@surety/consent-page/route/AssetServing"
import { templateOf } from "@surety/consent-page/route/paths"
import * as ConsumerAuthenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as LinkGuessLimit from "@surety/core/consent/admission/LinkGuessLimit"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import { HostedRoutes } from "@surety/http/HostedRoutes"
import * as StaticContent from "@surety/http/static/StaticContent"
import { Layer } from "effect"
import * as HostSignIn from "./host/HostSignIn.js"
import type { ReadOptions } from "./readOptions.js"
import type { SuretyOptions } from "./SuretyOptions.js"

/** What the pages speak for on which people decide and take consents back. */
export const services = ({ signIn }: SuretyOptions) =>
  Layer.mergeAll(
    PersonConsents.layer,
    signIn === undefined ? ConsumerAuthenticator.layerLink : HostSignIn.layer(signIn),
    LinkGuessLimit.layer,
    // What stands in the log in the place of the pages' addresses, which hold tokens.
    Layer.succeed(HostedRoutes, templateOf)
  )

/** The pages' routes, beside those of the interface. */
export const routes = ({ consentPage }: SuretyOptions, { basePath, publicUrl }: ReadOptions) => {
  if (consentPage === "off") return Layer.empty
  const { contact, name = new URL(publicUrl).hostname } = consentPage ?? {}
  const settings = { ...defaults, publicUrl, basePath, platform: { name, contact } }
  return ConsentPage.layer.pipe(
    Layer.provide([Layer.succeed(ConsentPageSettings, settings), Layer.succeed(AssetServing, StaticContent.make)])
  )
}
