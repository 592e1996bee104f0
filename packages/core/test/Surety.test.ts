import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import type { Ledger } from "@surety/core/ledger/Ledger"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import { Refunds } from "@surety/core/refund/Refunds"
import { Wallet } from "@surety/core/refund/Wallet"
import { type StorePorts, storePorts } from "@surety/core/StorePorts"
import * as Surety from "@surety/core/Surety"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer } from "effect"
import type { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as Sandbox from "./Sandbox.js"

const parts = {
  stores: MemoryStores.layer,
  keyring: Sandbox.keyring,
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("https://pay.example"),
  responses: Responses.layer
}

const noWebhooks = { webhooks: Layer.empty }

describe("Surety.layer", () => {
  it.effect("provides every storage port and service from five parts", () =>
    Effect.gen(function* () {
      const { mapUnsafe } = yield* Layer.build(Surety.layer(parts))
      const services = [
        Merchants,
        Consumers,
        Payments,
        Refunds,
        DataRequests,
        PersonConsents,
        Verifications,
        RateLimiter
      ]
      for (const { key } of [...storePorts, ...services]) assert.isTrue(mapUnsafe.has(key), key)
    }).pipe(Effect.scoped, Effect.provide(NodeCrypto.layer))
  )

  it("lists each port once", () => {
    const keys = storePorts.map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it.effect("completes a refund that the host's wallet left pending, with the workers that it always has", () => {
    let isUp = false
    const credited: Array<string> = []
    const wallet = Layer.succeed(Wallet, {
      credit: ({ refundId }) => {
        if (!isUp) return Effect.die(new Error("the wallet is down"))
        credited.push(refundId)
        return Effect.succeed({ _tag: "Credited" as const })
      }
    })
    const surety = Surety.layer({ ...parts, wallet }).pipe(Layer.provideMerge(NodeCrypto.layer))
    return Effect.gen(function* () {
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const command = Sandbox.refundOf({ transactionId: payment.id, reason: "late" })
      yield* Effect.exit((yield* Refunds).create(scope, Sandbox.key("k"), command))
      isUp = true
      yield* TestClock.adjust("60 seconds")
      assert.lengthOf(credited, 1)
    }).pipe(Effect.provide(Layer.provideMerge(Surety.workers(noWebhooks), surety)))
  })
})

/** Compiled but never run. `@ts-expect-error` marks the code that must not compile. */
export const compiled = () => {
  type Crypto = Aead.Aead | Digest.Digest | Kdf.Kdf | Mac.Mac | SecureRandom.SecureRandom
  type Of<L> = L extends Layer.Layer<infer A, infer _E, infer R> ? readonly [A, R] : never
  const allBut = MemoryStores.layer as unknown as Layer.Layer<Exclude<StorePorts, Ledger>, never, DeliverySignal>

  // @ts-expect-error: the stores lack the ledger
  const stores: Layer.Layer<StorePorts, never, DeliverySignal> = allBut
  // @ts-expect-error: the ledger is missing
  Surety.layer({ ...parts, stores: allBut })
  // @ts-expect-error: one part must send the webhooks
  Surety.workers({})
  // @ts-expect-error: without the layer, the workers lack their services
  const alone: Layer.Layer<never> = Surety.workers(noWebhooks)
  const { keyring: _, ...keyless } = parts
  // @ts-expect-error: secrets are sealed under a key
  Surety.layer(keyless)

  const wallet = Layer.effect(
    Wallet,
    Effect.map(Payments, () => ({ credit: () => Effect.die("never") }))
  )
  const over = Surety.layer({ ...parts, wallet })
  // If a part requires a service that is built on top of it, the requirement remains in the layer's type.
  const needs: Of<typeof over>[1] = {} as Payments | Crypto
  const layer = Surety.layer(parts)
  const onlyCrypto: Crypto = {} as Of<typeof layer>[1]
  return { alone, needs, onlyCrypto, stores }
}
