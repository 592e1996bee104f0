import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import { defaultKycSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { isVerificationOpen, type Verification } from "@surety/core/kyc/verification/Verification"
import * as VerificationRecovery from "@surety/core/kyc/verification/VerificationRecovery"
import * as Verifications from "@surety/core/kyc/verification/Verifications"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Keyring from "@surety/core/secret/Keyring"
import { Context, Duration, Effect, Exit, Latch, Layer, Redacted, Result, Scope } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import * as FreshConsumer from "../../consumer/FreshConsumer.js"
import * as FreshMerchant from "../../merchant/FreshMerchant.js"
import * as Responses from "../../Responses.js"
import { personal, type SampleNumber } from "../KycProviderLaws.js"
import type { VendorServer } from "./VendorServer.js"

export interface PlayedVendor {
  readonly make: () => VendorServer
  readonly adapter: (url: string) => Layer.Layer<KycProvider>
  readonly verified: SampleNumber
  /** The account's credentials, which no log or record may contain. */
  readonly credentials: ReadonlyArray<string>
}

/**
 * Short delays, since the tests use the real clock. The circuit breaker's threshold is too high for a test to reach.
 */
const settings = {
  ...defaultKycSettings,
  schedule: {
    retries: [Duration.millis(20), Duration.millis(50)],
    looks: Array.from({ length: 20 }, () => Duration.millis(100))
  },
  providerTimeout: Duration.millis(400),
  leaseTime: Duration.millis(900),
  patience: Duration.millis(100),
  breaker: { failures: 10_000, openFor: Duration.millis(1) }
}

const crypto = Layer.mergeAll(Mac.layerWebCrypto, Aead.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

/** Services that outlive a process. */
export const world = MemoryStores.layerOver.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryState.layer,
      DeliverySignal.layer,
      Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
      Layer.succeed(KycSettings, settings)
    )
  ),
  Layer.provideMerge(crypto)
)

/**
 * Starts a simulated process: the KYC services and their recovery worker, over the adapter. A killed process completes
 * none of its pending work.
 */
export const start = Effect.fnUntraced(function* (adapter: Layer.Layer<KycProvider>) {
  const services = Verifications.layer.pipe(
    Layer.provide([Layer.provide(KycProviders.layer, adapter), Responses.layer])
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(Layer.provideMerge(VerificationRecovery.worker.layer, services), scope)
  const dead = Latch.makeUnsafe(false)
  return {
    verifications: Context.get(context, Verifications.Verifications),
    /** Dies when the process is killed, like a caller's connection. */
    dead: Effect.andThen(dead.await, Effect.die("killed")),
    kill: Effect.andThen(Scope.close(scope, Exit.void), dead.open)
  }
})

type Process = Effect.Success<ReturnType<typeof start>>

export const shop = Effect.gen(function* () {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  return { scope, consumer: yield* FreshConsumer.linkedTo(scope) }
})

export type Shop = Effect.Success<typeof shop>

export const submit = (
  { dead, verifications }: Process,
  { consumer, scope }: Shop,
  key: string,
  { id, kind }: SampleNumber
) =>
  Effect.raceFirst(
    dead,
    verifications.submit(
      scope,
      IdempotencyKey.make(key),
      Result.getOrThrow(
        parseVerification({
          userId: consumer.userId,
          kind,
          id: Redacted.make(id),
          verificationConsent: true,
          validation: { firstName: Redacted.make(personal.firstName), lastName: Redacted.make(personal.lastName) }
        })
      )
    )
  )

export const pause = Effect.sleep("20 millis")

export const until = <E, R>(isSo: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(isSo, (so) => (so ? Effect.void : Effect.andThen(pause, until(isSo))))

/** Waits until at least one verification exists and all have ended. Returns them. */
export const ended = Effect.gen(function* () {
  const { verifications } = yield* MemoryState.MemoryState
  const all = (): ReadonlyArray<Verification> => [...verifications.values()].map((stored) => stored.verification)
  yield* until(Effect.sync(() => all().length > 0 && all().every(({ status }) => !isVerificationOpen(status))))
  return all()
})
