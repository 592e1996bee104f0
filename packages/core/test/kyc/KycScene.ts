import { NodeCrypto } from "@effect/platform-node"
import type { Consumer } from "@surety/core/consumer/Consumer"
import * as Consumers from "@surety/core/consumer/Consumers"
import type { Environment } from "@surety/core/Environment"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { VerificationId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import {
  parseVerification,
  type VerificationCommand,
  type VerificationInput
} from "@surety/core/kyc/command/VerificationCommand"
import { KycPolicy, type KycPolicy as Policy } from "@surety/core/kyc/evidence/KycPolicy"
import { KycSettings, type KycSettings as Settings } from "@surety/core/kyc/KycSettings"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import * as VerificationRecovery from "@surety/core/kyc/verification/VerificationRecovery"
import { VerificationResults } from "@surety/core/kyc/verification/VerificationResults"
import * as Verifications from "@surety/core/kyc/verification/Verifications"
import * as MemoryKycStore from "@surety/core/memory/kyc/MemoryKycStore"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as Merchants from "@surety/core/merchant/Merchants"
import * as Responses from "@surety/testing/Responses"
import { Context, Effect, Exit, Layer, Redacted, Result, Scope } from "effect"
import * as Sandbox from "../Sandbox.js"

/**
 * State that outlives a process: the stores, and the services that create merchants and consumers. `MemoryKycStore` is
 * built over `NodeCrypto`, which hashes receipts synchronously. Its commits therefore finish before a test advances the
 * clock.
 */
export const world = Layer.mergeAll(
  Consumers.layer,
  Layer.provide(Merchants.layer, KeyHolders.layer),
  Layer.fresh(MemoryKycStore.layer)
).pipe(
  Layer.provideMerge(MemoryStores.layerOver),
  Layer.provideMerge(Layer.mergeAll(MemoryState.layer, DeliverySignal.layer, Sandbox.keyring)),
  Layer.provideMerge(NodeCrypto.layer)
)

/** A process that performs verifications: its services, and a way to crash it with its work unfinished. */
export interface Process {
  readonly verifications: Verifications.Verifications["Service"]
  readonly results: VerificationResults["Service"]
  readonly crash: Effect.Effect<void>
}

/** Starts a process over `world`, with `live` as its provider for LIVE. Runs the recovery workers by default. */
export const start = Effect.fnUntraced(function* (
  live: Layer.Layer<KycProvider> | undefined,
  options: {
    readonly recovery?: boolean
    readonly settings?: Settings
    readonly policy?: Policy
    /** Providers to use instead of `live`. */
    readonly providers?: Layer.Layer<KycProviders.KycProviders>
    readonly store?: (store: KycStore["Service"]) => KycStore["Service"]
  } = {}
) {
  const one = live === undefined ? KycProviders.layerSandbox : Layer.provide(KycProviders.layer, live)
  const providers = options.providers ?? one
  const services = Verifications.layer.pipe(Layer.provide(providers), Layer.provide(Responses.layer))
  const whole =
    options.recovery === false
      ? services
      : Layer.provideMerge(
          Layer.merge(VerificationRecovery.worker.layer, VerificationRecovery.keyWorker.layer),
          services
        )
  const settings = options.settings === undefined ? Layer.empty : Layer.succeed(KycSettings, options.settings)
  const policy = options.policy === undefined ? Layer.empty : Layer.succeed(KycPolicy, options.policy)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const store = Layer.effect(KycStore, Effect.map(KycStore, options.store ?? ((same) => same)))
  const context = yield* Layer.buildWithScope(
    whole.pipe(Layer.provide(store), Layer.provide([settings, policy])),
    scope
  )
  const process: Process = {
    verifications: Context.get(context, Verifications.Verifications),
    results: Context.get(context, VerificationResults),
    crash: Scope.close(scope, Exit.void)
  }
  return process
})

export const shop = Effect.fnUntraced(function* (environment: Environment) {
  const merchant = yield* Sandbox.newMerchant
  const scope: MerchantScope = { merchantId: merchant.id, environment }
  const consumers = yield* Consumers.Consumers
  const consumer = yield* consumers.create({ environment, phoneVerified: false }, merchant.id)
  return { scope, consumer }
})

export const key = (text: string): IdempotencyKey => IdempotencyKey.make(text)

/** Parses a verification request, by default with the BVN that the sandbox verifies. Throws if it is invalid. */
export const commandOf = (changes: Partial<VerificationInput>): VerificationCommand =>
  Result.getOrThrow(
    parseVerification({ kind: "bvn", id: Redacted.make("22222222222"), verificationConsent: true, ...changes })
  )

/** Builds a request to verify the consumer, by default with the BVN that the sandbox verifies. */
export const request = (consumer: Consumer, changes: Partial<VerificationInput> = {}): VerificationCommand =>
  commandOf({ userId: consumer.userId, ...changes })

/** Values that match the sandbox's person. */
export const ada = {
  firstName: Redacted.make("ADA"),
  lastName: Redacted.make("Obi"),
  dateOfBirth: Redacted.make("01/01/1990")
}

export const recordOf = ({
  response
}: {
  readonly response: string
}): Verification & { readonly reference: VerificationId } => JSON.parse(response)

export const consumerNow = Effect.fnUntraced(function* ({ environment, serviceId }: Consumer) {
  return yield* (yield* Consumers.Consumers).get(environment, serviceId)
})
