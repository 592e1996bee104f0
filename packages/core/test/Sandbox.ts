import { NodeCrypto } from "@effect/platform-node"
import * as Currency from "@surety/core/Currency"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentServices from "@surety/core/consent/ConsentServices"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as Consumers from "@surety/core/consumer/Consumers"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as Merchants from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import * as RefundCommand from "@surety/core/refund/RefundCommand"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Redacted, Result } from "effect"

export const keyring = Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])

export const foundation = MemoryStores.layer.pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(TargetPolicy.layerDevelopment),
  Layer.provideMerge(KycProviders.layerSandbox),
  Layer.provideMerge(keyring),
  Layer.provideMerge(Responses.layer),
  Layer.provideMerge(NodeCrypto.layer)
)

/** Services that consent needs in addition to `foundation`. */
const people = Layer.mergeAll(
  ConsumerDirectory.layer,
  ConsentNotifier.layerNone,
  ConsentUrls.layer("https://consent.example/"),
  UnknownConsumerLimit.layer
)

export const layerWith = (directory?: Layer.Layer<ConsumerDirectory.ConsumerDirectory>) =>
  Surety.layer({
    stores: MemoryStores.layer,
    keyring,
    targets: TargetPolicy.layerDevelopment,
    consentUrls: ConsentUrls.layer("https://consent.example/"),
    responses: Responses.layer,
    directory
  }).pipe(Layer.provideMerge(NodeCrypto.layer))

/** Runs no background loops, since consent tests may advance time by months. */
export const consentWith = <A>(replacing: Layer.Layer<A>) =>
  Layer.mergeAll(ConsentServices.layer, Consumers.layer, Layer.provide(Merchants.layer, KeyHolders.layer)).pipe(
    Layer.provide(replacing),
    Layer.provide(people),
    Layer.provideMerge(foundation)
  )

export const layer = layerWith()

export const key = (text: string): IdempotencyKey => IdempotencyKey.make(text)

export const refundOf = (request: RefundCommand.RefundInput): RefundCommand.RefundCommand =>
  Result.getOrThrow(RefundCommand.parseRefund(request))

export const newMerchant = Effect.gen(function* () {
  const merchants = yield* Merchants.Merchants
  return yield* merchants.apply(
    {
      name: "Sandbox Shop",
      legalName: "Sandbox Shop Ltd",
      contactName: Redacted.make("Ada Obi"),
      contactEmail: Redacted.make("ada@sandbox.example"),
      country: "NG",
      businessType: "retail"
    },
    "test"
  )
})

export const shopWithPayment = Effect.fnUntraced(function* (payment: { readonly settled: boolean }) {
  const consumers = yield* Consumers.Consumers
  const payments = yield* Payments
  const merchant = yield* newMerchant
  const scope: MerchantScope = { merchantId: merchant.id, environment: "TEST" }
  const consumer = yield* consumers.create({ environment: "TEST", phoneVerified: false }, merchant.id)
  const recorded = yield* payments.record({
    scope,
    amount: { currency: Currency.NGN, minor: 250_050n },
    method: "WALLET",
    serviceId: consumer.serviceId,
    reference: "order-1001",
    settled: payment.settled
  })
  return { merchant, scope, consumer, payment: recorded }
})
