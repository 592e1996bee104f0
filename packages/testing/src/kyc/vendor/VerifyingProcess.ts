import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import * as Verifications from "@surety/core/kyc/verification/Verifications"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { StorePorts } from "@surety/core/StorePorts"
import * as Keyring from "@surety/core/secret/Keyring"
import { Context, Effect, Exit, Layer, Option, Redacted, Result, Scope } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import * as FreshConsumer from "../../consumer/FreshConsumer.js"
import * as FreshMerchant from "../../merchant/FreshMerchant.js"
import * as Responses from "../../Responses.js"
import { personal, type SampleNumber } from "../KycProviderLaws.js"

const crypto = Layer.mergeAll(Digest.layerWebCrypto, Kdf.layerWebCrypto, Mac.layerWebCrypto, Aead.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

/** What outlives a process: the stores, in memory. */
export const world: Layer.Layer<StorePorts> = MemoryStores.layerOver.pipe(
  Layer.provide([MemoryState.layer, DeliverySignal.layer])
)

/** A process that verifies, and its sudden end, which lets nothing finish. */
export interface VerifyingProcess {
  /** One request of the merchant's. Repeat the key to repeat the request. */
  readonly verify: (key: IdempotencyKey, sample: SampleNumber) => Effect.Effect<Verification, unknown>
  readonly crash: Effect.Effect<void>
}

/** A merchant of LIVE and a person whom it may name. */
export const shop = Effect.gen(function* () {
  const scope: MerchantScope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  return { scope, consumer: yield* FreshConsumer.linkedTo(scope) }
})

/** Starts a process on the world, without workers: what is not asked for does not happen. */
export const start = Effect.fnUntraced(function* (
  { consumer, scope: merchant }: Effect.Success<typeof shop>,
  live: Layer.Layer<KycProvider>
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const keyring = Layer.provide(Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]), crypto)
  const providers = Layer.provide(KycProviders.layer, Layer.fresh(live))
  const services = Verifications.layer.pipe(Layer.provide([providers, keyring, Responses.layer, crypto]))
  const context = yield* Layer.buildWithScope(Layer.fresh(services), scope)
  const verifications = Context.get(context, Verifications.Verifications)
  const process: VerifyingProcess = {
    verify: Effect.fnUntraced(function* (key, { id, kind }) {
      const command = parseVerification({
        userId: consumer.id,
        kind,
        id: Redacted.make(id),
        verificationConsent: true,
        validation: {
          firstName: Redacted.make(personal.firstName),
          lastName: Redacted.make(personal.lastName),
          dateOfBirth: Redacted.make(personal.dateOfBirth)
        }
      })
      const { verification } = yield* verifications.submit(merchant, key, Result.getOrThrow(command))
      return Option.getOrThrow(verification)
    }),
    crash: Scope.close(scope, Exit.void)
  }
  return process
})
