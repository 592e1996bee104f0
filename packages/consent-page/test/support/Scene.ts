import { NodeCrypto } from "@effect/platform-node"
import type { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as Authenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as LinkGuessLimit from "@surety/core/consent/admission/LinkGuessLimit"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentServices from "@surety/core/consent/ConsentServices"
import type { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import { commandOf, DataRequestInput } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as Consumers from "@surety/core/consumer/Consumers"
import type { Environment } from "@surety/core/Environment"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import type { MerchantProfile } from "@surety/core/merchant/Merchant"
import * as Merchants from "@surety/core/merchant/Merchants"
import * as OperatorActions from "@surety/core/operator/OperatorActions"
import * as RightsRequests from "@surety/core/person/RightsRequests"
import type { StorePorts } from "@surety/core/StorePorts"
import * as Keyring from "@surety/core/secret/Keyring"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Redacted, Schema } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"

/** Provides the consent services over in-memory stores, with links below `publicUrl`. */
export const layerAt = (
  publicUrl: string,
  authenticator: Layer.Layer<
    ConsumerAuthenticator,
    never,
    StorePorts | Keyring.Keyring | Digest.Digest | SecureRandom.SecureRandom
  > = Authenticator.layerLink
) =>
  Layer.mergeAll(
    PersonConsents.layer,
    authenticator,
    LinkGuessLimit.layer,
    Layer.provide(RightsRequests.layer, OperatorActions.layer)
  ).pipe(
    Layer.provideMerge(ConsentServices.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        ConsentUrls.layer(publicUrl),
        UnknownConsumerLimit.layer,
        ConsentNotifier.layerNone,
        ConsumerDirectory.layer,
        Merchants.layer,
        Consumers.layer
      )
    ),
    Layer.provide(KeyHolders.layer),
    Layer.provideMerge(MemoryStores.layerOver),
    Layer.provideMerge(MemoryState.layer),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(TargetPolicy.layerDevelopment),
    Layer.provideMerge(Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])),
    Layer.provideMerge(Responses.layer),
    Layer.provideMerge(NodeCrypto.layer)
  )

export const page = { limit: 100, cursor: undefined }

export const notice = { version: "1.0", language: "en" }

const corner: MerchantProfile = {
  name: "Corner Shop",
  legalName: "Corner Shop Nigeria Ltd",
  contactName: Redacted.make("Bola Ade"),
  contactEmail: Redacted.make("bola@corner.example"),
  supportEmail: "help@corner.example",
  websiteUrl: "https://corner.example/shop?from=apply",
  country: "NG",
  businessType: "retail"
}

export const newMerchant = (profile: Partial<MerchantProfile> = {}) =>
  Effect.flatMap(Merchants.Merchants, (merchants) => merchants.apply({ ...corner, ...profile }, "test"))

export const newPerson = (environment: Environment = "TEST") =>
  Effect.flatMap(Consumers.Consumers, (consumers) =>
    consumers.create(
      {
        environment,
        displayName: Redacted.make("Ada Obi"),
        email: Redacted.make("ada.obi@example.com"),
        country: "NG",
        phoneVerified: true
      },
      undefined
    )
  )

const decodeInput = Schema.decodeUnknownSync(DataRequestInput)

let keys = 0

export interface Asked {
  readonly merchant?: Partial<MerchantProfile>
  readonly fields?: ReadonlyArray<string>
  readonly purpose?: string
  readonly duration?: GrantDuration
  /** The request's return url. It is registered as the merchant's only return url. */
  readonly returnUrl?: string
  readonly state?: string
  /** True to make the merchant `ACTIVE`, which the page shows as checked by the platform. */
  readonly isChecked?: boolean
}

/**
 * Creates a new merchant's data request to a new person in TEST. Returns the request's id and parties, and the url and
 * token of the person's consent link.
 */
export const asked = Effect.fnUntraced(function* ({
  fields = ["display_name", "email", "country", "phone_verified"],
  merchant: profile,
  purpose = "To deliver your order to the right person, and to tell you when it is on its way.",
  isChecked = false,
  ...more
}: Asked = {}) {
  const requests = yield* DataRequests
  const merchant = yield* newMerchant(profile)
  const merchants = yield* Merchants.Merchants
  if (isChecked) yield* merchants.changeStatus(merchant.id, { to: "ACTIVE", actor: "test", reason: undefined })
  if (more.returnUrl !== undefined) yield* merchants.changeSettings(merchant.id, { returnUrls: [more.returnUrl] })
  const consumer = yield* newPerson()
  const scope = { merchantId: merchant.id, environment: "TEST" as const }
  keys += 1
  const input = decodeInput({ serviceId: consumer.serviceId, requestedFields: fields, purpose, ...more })
  const { consentUrl, request } = yield* requests.create(scope, IdempotencyKey.make(`key-${keys}`), commandOf(input))
  const url = consentUrl === undefined ? "" : Redacted.value(consentUrl)
  return { merchant, consumer, scope, id: request.id, url, token: Redacted.make(url.split("/").at(-1) ?? "") }
})

export const approveBy = (
  token: Redacted.Redacted<string>,
  approval: Parameters<PersonConsents.PersonConsents["Service"]["approve"]>[1]
) =>
  Effect.flatMap(PersonConsents.PersonConsents, (person) =>
    Effect.flatMap(person.question(token), (link) => person.approve(link, approval))
  )

export const denyBy = (
  token: Redacted.Redacted<string>,
  denial: Parameters<PersonConsents.PersonConsents["Service"]["deny"]>[1]
) =>
  Effect.flatMap(PersonConsents.PersonConsents, (person) =>
    Effect.flatMap(person.question(token), (link) => person.deny(link, denial))
  )
