import * as CheckCharacter from "@surety/core/CheckCharacter"
import { AskLimits, defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import { defaultKycSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { routesOver } from "@surety/core/kyc/provider/KycRoutes"
import { SandboxPageUrl, sandboxPageBelow } from "@surety/core/kyc/provider/SandboxKycProvider"
import { PlatformName } from "@surety/core/merchant/DeceptiveText"
import { defaultRetentionPolicy, RetentionPolicy } from "@surety/core/retention/RetentionPolicy"
import { retentionKinds } from "@surety/core/retention/RetentionStore"
import { Duration, Layer } from "effect"
import { consentUrlOf } from "./host/consentUrlOf.js"
import * as HostConsentNotifier from "./host/HostConsentNotifier.js"
import * as HostDirectory from "./host/HostDirectory.js"
import * as HostKycPolicy from "./host/HostKycPolicy.js"
import * as HostKycProvider from "./host/HostKycProvider.js"
import * as HostPersonData from "./host/HostPersonData.js"
import { telling } from "./host/onHostError.js"
import { consoleRules } from "./page/consoleRules.js"
import type { ReadOptions } from "./readOptions.js"
import type { ConsentAskOptions, RetentionOptions, SuretyOptions } from "./SuretyOptions.js"

const consentUrls = (
  { consentUrl, onError }: SuretyOptions,
  publicUrl: string
): Layer.Layer<ConsentUrls.ConsentUrls> =>
  consentUrl === undefined
    ? ConsentUrls.layer(publicUrl)
    : Layer.succeed(ConsentUrls.ConsentUrls, {
        ...ConsentUrls.hostedBelow(() => publicUrl),
        urlOf: consentUrlOf(consentUrl, telling(onError))
      })

/**
 * Provides the platform's name, which a merchant's name must not contain. The name is the hosted pages' `name`, or else
 * the hostname in `publicUrl`. If both are omitted, or the pages are off, core's default name applies.
 */
const platformName = ({ consentPage, publicUrl }: SuretyOptions): Layer.Layer<never> => {
  if (consentPage === "off") return Layer.empty
  const name = consentPage?.name ?? (publicUrl === undefined ? undefined : new URL(publicUrl).hostname)
  return name === undefined ? Layer.empty : Layer.succeed(PlatformName, name)
}

const askLimitsOf = ({
  againAfterSeconds,
  open = defaultAskLimits.open,
  perDay = defaultAskLimits.perDay
}: ConsentAskOptions = {}): AskLimits => ({
  open,
  perDay,
  againAfter: againAfterSeconds === undefined ? defaultAskLimits.againAfter : Duration.seconds(againAfterSeconds)
})

const retentionOf = (days: RetentionOptions = {}): RetentionPolicy => {
  const policy = { ...defaultRetentionPolicy }
  for (const kind of retentionKinds) {
    const kept = days[kind]
    if (kept !== undefined) policy[kind] = kept === 0 ? undefined : Duration.days(kept)
  }
  return policy
}

/**
 * Builds the layers for consent links, the consent notifier, the directory and KYC providers. An undefined layer means
 * Surety's default.
 */
export const hostPorts = (options: SuretyOptions, { publicUrl }: ReadOptions) => {
  const { consentNotifier, directory } = options
  return {
    consentUrls: consentUrls(options, publicUrl),
    consentNotifier: consentNotifier === undefined ? undefined : HostConsentNotifier.layer(consentNotifier),
    directory: directory === undefined ? undefined : HostDirectory.layer(directory),
    kycProviders: Layer.provide(kycProviders(options), sandboxPage(options, publicUrl))
  }
}

/**
 * Builds the layer of KYC providers: the sandbox for TEST, the host's for LIVE. Without `kycRoutes`, each kind is
 * routed to all of the host's providers that support it, in list order.
 */
const kycProviders = ({ kyc = [], kycRoutes }: SuretyOptions): Layer.Layer<KycProviders.KycProviders> => {
  const providers = HostKycProvider.providersOf(kyc).map(HostKycProvider.providerOf)
  return KycProviders.layerRouted(providers, kycRoutes ?? routesOver(providers))
}

/** Provides the url of the sandbox page, which exists only if the hosted pages are on. */
const sandboxPage = ({ consentPage }: SuretyOptions, publicUrl: string): Layer.Layer<never> =>
  consentPage === "off"
    ? Layer.empty
    : Layer.succeed(
        SandboxPageUrl,
        sandboxPageBelow(() => publicUrl)
      )

/**
 * Builds the layer of core's settings, such as limits, retention and the KYC policy. Omitted options keep their
 * defaults.
 */
export const hostRules = (options: SuretyOptions): Layer.Layer<never> => {
  const { consentAsks, consumerIdCheck = "crockford", directory, kycPolicy, kycTiers } = options
  const { personData = [], retention } = options
  return Layer.mergeAll(
    kycPolicy === undefined ? Layer.empty : HostKycPolicy.layer(kycPolicy),
    Layer.succeed(KycSettings, { ...defaultKycSettings, tiers: kycTiers ?? defaultKycSettings.tiers }),
    Layer.succeed(AskLimits, askLimitsOf(consentAsks)),
    Layer.succeed(IdentityFields, withFields(...(directory?.fields ?? []))),
    platformName(options),
    consoleRules(options),
    HostPersonData.layer(personData),
    Layer.succeed(RetentionPolicy, retentionOf(retention)),
    Layer.succeed(ConsumerIdScheme, consumerIdCheck === "shape" ? CheckCharacter.shapeOnly : CheckCharacter.crockford)
  )
}
