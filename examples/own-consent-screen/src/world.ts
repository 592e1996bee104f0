import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { commandOf, DataRequestInput } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import * as Consumers from "@surety/core/consumer/Consumers"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as Responses from "@surety/core/idempotency/Responses"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Merchants from "@surety/core/merchant/Merchants"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted, Schema } from "effect"

/** Surety over in-memory stores. A real platform has a database, its own directory and a secret key. */
export const layer = Surety.layer({
  stores: MemoryStores.layer,
  keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(1))]),
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("http://localhost"),
  responses: Responses.layerNone
}).pipe(Layer.provideMerge(NodeCrypto.layer))

/** Creates a merchant and a person, and requests the person's fields as the merchant would over HTTP. */
export const ask = Effect.fn("ask")(function* (displayName: string, fields: ReadonlyArray<string>) {
  const merchants = yield* Merchants.Merchants
  const consumers = yield* Consumers.Consumers
  const requests = yield* DataRequests
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
  yield* requests.create(scope, IdempotencyKey.make(`ask-${person.userId}`), command)
  return { scope, person }
})
