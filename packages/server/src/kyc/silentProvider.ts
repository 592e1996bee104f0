import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycProviderShape
} from "@surety/core/kyc/provider/KycProvider"
import { Effect, Layer } from "effect"

const reason = "workers_off"

const silenced = (provider: KycProviderShape): KycProviderShape => ({
  ...provider,
  submit: () => Effect.fail(new KycNotSubmitted({ reason })),
  lookup: () => Effect.fail(new KycOutcomeUnknown({ reason })),
  submitCode: () => Effect.fail(new KycNotSubmitted({ reason }))
})

/** The provider of a server without workers, which sends nothing: it reads callbacks, but never calls the vendor. */
export const silentProvider = (provider: Layer.Layer<KycProvider>): Layer.Layer<KycProvider> =>
  Layer.effect(KycProvider, Effect.map(KycProvider, silenced)).pipe(Layer.provide(provider))
