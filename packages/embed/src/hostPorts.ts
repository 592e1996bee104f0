import * as CheckCharacter from "@surety/core/CheckCharacter"
import { AskLimits, defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentLinks from "@surety/core/consent/link/ConsentUrls"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import { defaultSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { PlatformName } from "@surety/core/merchant/DeceptiveText"
import { Duration, Layer } from "effect"
import { consentUrlOf } from "./host/consentUrlOf.js"
import * as HostConsentNotifier from "./host/HostConsentNotifier.js"
import * as HostDirectory from "./host/HostDirectory.js"
import * as HostKycPolicy from "./host/HostKycPolicy.js"
import * as HostKycProvider from "./host/HostKycProvider.js"
import { telling } from "./host/onHostError.js"
import type { ReadOptions } from "./readOptions.js"
import type { ConsentAskOptions, SuretyOptions } from "./SuretyOptions.js"

const consentLinks = (
  { consentUrl, onError }: SuretyOptions,
  publicUrl: string
): Layer.Layer<ConsentLinks.ConsentLinks> =>
  consentUrl === undefined
    ? ConsentLinks.layer(publicUrl)
    : Layer.succeed(ConsentLinks.ConsentLinks, {
        ...ConsentLinks.linksBelow(() => publicUrl),
        urlOf: consentUrlOf(consentUrl, telling(onError))
      })

/** What people know the platform as: no merchant may be called so. */
const platformName = (consentPage: SuretyOptions["consentPage"]): Layer.Layer<never> =>
  consentPage === undefined || consentPage === "off" || consentPage.name === undefined
    ? Layer.empty
    : Layer.succeed(PlatformName, consentPage.name)

const askLimitsOf = ({
  againAfterSeconds,
  open = defaultAskLimits.open,
  perDay = defaultAskLimits.perDay
}: ConsentAskOptions = {}): AskLimits => ({
  open,
  perDay,
  againAfter: againAfterSeconds === undefined ? defaultAskLimits.againAfter : Duration.seconds(againAfterSeconds)
})

/** What is known of people, how they are reached, and who verifies them: the host's, or what stands in its place. */
export const hostPorts = (options: SuretyOptions, { publicUrl }: ReadOptions) => {
  const {
    consentAsks,
    consentNotifier,
    consentPage,
    consumerIdCheck = "crockford",
    directory,
    kyc,
    kycPolicy,
    kycTiers
  } = options
  return Layer.mergeAll(
    directory === undefined ? ConsumerDirectory.layer : HostDirectory.layer(directory),
    consentNotifier === undefined ? ConsentNotifier.layerNone : HostConsentNotifier.layer(consentNotifier),
    consentLinks(options, publicUrl),
    UnknownConsumerLimit.layer,
    kyc === undefined ? KycProviders.layerSandbox : Layer.provide(KycProviders.layer, HostKycProvider.layer(kyc)),
    kycPolicy === undefined ? Layer.empty : HostKycPolicy.layer(kycPolicy),
    Layer.succeed(KycSettings, { ...defaultSettings, tiers: kycTiers ?? defaultSettings.tiers }),
    Layer.succeed(AskLimits, askLimitsOf(consentAsks)),
    Layer.succeed(IdentityFields, withFields(...(directory?.fields ?? []))),
    platformName(consentPage),
    Layer.succeed(ConsumerIdScheme, consumerIdCheck === "shape" ? CheckCharacter.shapeOnly : CheckCharacter.crockford)
  )
}
