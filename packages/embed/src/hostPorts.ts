import * as CheckCharacter from "@surety/core/CheckCharacter"
import { AskLimits, defaultAskLimits } from "@surety/core/consent/AskLimits"
import * as ConsentLinks from "@surety/core/consent/ConsentLinks"
import * as ConsentNotifier from "@surety/core/consent/ConsentNotifier"
import * as UnknownConsumerLimit from "@surety/core/consent/UnknownConsumerLimit"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import * as KycProviders from "@surety/core/kyc/KycProviders"
import { Duration, Layer, Redacted } from "effect"
import * as HostConsentNotifier from "./host/HostConsentNotifier.js"
import * as HostDirectory from "./host/HostDirectory.js"
import * as HostKycProvider from "./host/HostKycProvider.js"
import type { ReadOptions } from "./readOptions.js"
import type { ConsentAskOptions, SuretyOptions } from "./SuretyOptions.js"

const consentLinks = (
  consentUrl: SuretyOptions["consentUrl"],
  publicUrl: string
): Layer.Layer<ConsentLinks.ConsentLinks> =>
  consentUrl === undefined
    ? ConsentLinks.layer(publicUrl)
    : Layer.succeed(ConsentLinks.ConsentLinks, {
        ...ConsentLinks.linksBelow(() => publicUrl),
        urlOf: (token) => Redacted.make(consentUrl(Redacted.value(token)), { label: "consent link" })
      })

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
export const hostPorts = (
  { consentAsks, consentNotifier, consentUrl, consumerIdCheck = "crockford", directory, kyc }: SuretyOptions,
  { publicUrl }: ReadOptions
) =>
  Layer.mergeAll(
    directory === undefined ? ConsumerDirectory.layer : HostDirectory.layer(directory),
    consentNotifier === undefined ? ConsentNotifier.layerNone : HostConsentNotifier.layer(consentNotifier),
    consentLinks(consentUrl, publicUrl),
    UnknownConsumerLimit.layer,
    kyc === undefined ? KycProviders.layerSandbox : Layer.provide(KycProviders.layer, HostKycProvider.layer(kyc)),
    Layer.succeed(AskLimits, askLimitsOf(consentAsks)),
    Layer.succeed(IdentityFields, withFields(...(directory?.fields ?? []))),
    Layer.succeed(ConsumerIdScheme, consumerIdCheck === "shape" ? CheckCharacter.shapeOnly : CheckCharacter.crockford)
  )
