import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../Environment.js"
import { KycSettings } from "../KycSettings.js"
import type { Verification } from "../verification/Verification.js"
import { guard } from "./GuardedProvider.js"
import { KycProvider } from "./KycProvider.js"
import { sandbox } from "./SandboxKycProvider.js"

/** Who verifies where: the sandbox in TEST, the host's provider in LIVE. */
export class KycProviders extends Context.Service<
  KycProviders,
  {
    /** Who is asked from now on; `undefined` where nobody is configured. */
    readonly of: (environment: Environment) => KycProvider["Service"] | undefined

    /** Who was asked for this verification; `undefined` when that one is no longer configured. */
    readonly askedFor: (verification: Verification) => KycProvider["Service"] | undefined
  }
>()("@surety/core/kyc/provider/KycProviders") {}

const make = Effect.fnUntraced(function* (live: KycProvider["Service"] | undefined) {
  const settings = yield* KycSettings
  const guarded: Readonly<Record<Environment, KycProvider["Service"] | undefined>> = {
    TEST: yield* guard(sandbox, settings),
    LIVE: live === undefined ? undefined : yield* guard(live, settings)
  }
  return KycProviders.of({
    of: (environment) => guarded[environment],
    askedFor: ({ environment, provider }) => {
      const asked = guarded[environment]
      return asked?.name === provider ? asked : undefined
    }
  })
})

/** The sandbox alone: in LIVE nobody is verified. */
export const layerSandbox: Layer.Layer<KycProviders> = Layer.effect(KycProviders, make(undefined))

/** The sandbox for TEST and the provider given for LIVE. */
export const layer: Layer.Layer<KycProviders, never, KycProvider> = Layer.effect(
  KycProviders,
  Effect.flatMap(KycProvider, make)
)
