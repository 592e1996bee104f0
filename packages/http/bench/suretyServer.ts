// Started by compare.ts and hostile/main.ts: the API over in-memory stores, with one merchant and one payment.

import { createServer, ServerResponse } from "node:http"
import { setFlagsFromString } from "node:v8"
import { NodeCrypto, NodeHttpServer } from "@effect/platform-node"
import * as Currency from "@surety/core/Currency"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { Consumers } from "@surety/core/consumer/Consumers"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { PieceOwner } from "@surety/http/form/PieceOwner"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as Routes from "@surety/http/Routes"
import { Effect, Layer, Redacted, References } from "effect"
import { HttpRouter } from "effect/http"
import { answerMeasurements, type Seed } from "./Measured.ts"

// By default, V8 may allocate per-request objects in the old generation, where collecting them is expensive.
setFlagsFromString("--no-allocation-site-pretenuring")

const port = Number(process.argv[2])

/**
 * Disables Node's content length check. Effect's server enables the check, which splits one write into two. Bodies here
 * are complete, so their length is correct.
 */
class LeanResponse extends ServerResponse {}
Object.defineProperty(LeanResponse.prototype, "strictContentLength", { get: () => false, set: () => {} })

const settings = Layer.succeed(HttpSettings, {
  publicUrl: `http://127.0.0.1:${port}`,
  basePath: "",
  provisioning: "off",
  operatorToken: undefined,
  docs: false
})

const services = Surety.layer({
  stores: MemoryStores.layer,
  keyring: Keyring.layer([Redacted.make(new Uint8Array(32))]),
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer(`http://127.0.0.1:${port}`),
  responses: Responses.layer
}).pipe(Layer.provideMerge(NodeCrypto.layer), Layer.provideMerge(settings))

const profile = {
  name: "Bench Shop",
  legalName: "Bench Shop Ltd",
  contactName: Redacted.make("Ada Obi"),
  contactEmail: Redacted.make("ada@bench.example"),
  country: "NG",
  businessType: "retail"
}

const seed = Effect.gen(function* () {
  const merchant = yield* (yield* Merchants).apply(profile, "bench")
  const { secret } = yield* (yield* ApiKeys).issue(merchant.id, "TEST")
  const consumer = yield* (yield* Consumers).create({ environment: "TEST", phoneVerified: true }, merchant.id)
  const payment = yield* (yield* Payments).record({
    scope: { merchantId: merchant.id, environment: "TEST" },
    amount: { currency: Currency.NGN, minor: 900_000_000_000_000n },
    method: "WALLET",
    serviceId: consumer.serviceId,
    reference: "order-1",
    settled: true
  })
  const seeded: Seed = { key: Redacted.value(secret), transactionId: payment.id, serviceId: consumer.serviceId }
  process.send?.(seeded)
})

const server = HttpRouter.serve(Routes.layer, {
  routerConfig: Routes.routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.merge(Layer.effectDiscard(seed)),
  Layer.provide(services),
  Layer.provide(
    NodeHttpServer.layer(() => createServer({ ServerResponse: LeanResponse }), { port, host: "127.0.0.1" })
  ),
  Layer.provide([Layer.succeed(References.TracerEnabled, false), Layer.succeed(PieceOwner, "server")])
)

answerMeasurements()
Effect.runFork(Layer.launch(server))
