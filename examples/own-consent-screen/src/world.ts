import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as Consents from "@surety/core/consent/Consents"
import * as ConsentLinks from "@surety/core/consent/link/ConsentUrls"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import { commandOf, DataRequestInput } from "@surety/core/consent/request/DataRequestCommand"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as Consumers from "@surety/core/consumer/Consumers"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as Responses from "@surety/core/idempotency/Responses"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import * as Merchants from "@surety/core/merchant/Merchants"
import * as Keyring from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted, Schema } from "effect"

/** The core over stores in memory. A platform has a database, a directory of its own, and a key that it keeps. */
export const layer = Layer.mergeAll(Consents.layer, Merchants.layer, Consumers.layer).pipe(
  Layer.provide([ConsumerDirectory.layer, ConsentNotifier.layerNone, UnknownConsumerLimit.layer, KeyHolders.layer]),
  Layer.provide(ConsentLinks.layer("http://localhost")),
  Layer.provideMerge(MemoryStores.layer),
  Layer.provide([DeliverySignal.layer, Responses.layerNone]),
  Layer.provide(Keyring.layer([Redacted.make(new Uint8Array(32).fill(1))])),
  Layer.provideMerge(NodeCrypto.layer)
)

/** A merchant that asks a person for fields, as it does over HTTP. */
export const ask = Effect.fn("ask")(function* (displayName: string, fields: ReadonlyArray<string>) {
  const merchants = yield* Merchants.Merchants
  const consumers = yield* Consumers.Consumers
  const consents = yield* Consents.Consents
  const merchant = yield* merchants.apply(
    {
      name: "Corner Shop",
      legalName: "Corner Shop Ltd",
      contactName: Redacted.make("Bola Ade"),
      contactEmail: Redacted.make("bola@corner.example"),
      country: "NG",
      businessType: "retail"
    },
    "example"
  )
  const person = yield* consumers.create(
    {
      environment: "LIVE",
      displayName: Redacted.make(displayName),
      email: Redacted.make("ada@example.com"),
      phoneVerified: true
    },
    undefined
  )
  const scope = { merchantId: merchant.id, environment: "LIVE" as const }
  const input = { serviceId: person.serviceId, requestedFields: fields, purpose: "To deliver your order" }
  const command = commandOf(yield* Schema.decodeEffect(DataRequestInput)(input))
  yield* consents.request(scope, IdempotencyKey.make(`ask-${person.id}`), command)
  return { scope, person }
})
