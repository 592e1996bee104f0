import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../Environment.js"
import { KycSettings } from "../KycSettings.js"
import type { Verification, VerificationKind } from "../verification/Verification.js"
import { guard } from "./GuardedProvider.js"
import { KycProvider, type KycProviderShape } from "./KycProvider.js"
import { type KycRoutes, nameFaults, routeFaults, routesOver } from "./KycRoutes.js"
import { makeSandbox } from "./SandboxKycProvider.js"

/** Providers per environment: the sandbox in TEST, the host's in LIVE. */
export class KycProviders extends Context.Service<
  KycProviders,
  {
    /**
     * Returns the providers for a new verification, in the order to try them. Empty if none is configured for the kind.
     */
    readonly routeOf: (environment: Environment, kind: VerificationKind) => ReadonlyArray<KycProviderShape>

    /**
     * Returns the provider of this verification. Undefined if the verification has none, or if that provider is no
     * longer configured.
     */
    readonly askedFor: (verification: Verification) => KycProviderShape | undefined

    /** Returns the LIVE provider with this name, for its callbacks. Undefined if none is configured. */
    readonly named: (name: string) => KycProviderShape | undefined
  }
>()("@surety/core/kyc/provider/KycProviders") {}

const make = Effect.fnUntraced(function* (live: ReadonlyArray<KycProviderShape>, routes: KycRoutes) {
  const settings = yield* KycSettings
  const faults = [...nameFaults(live), ...routeFaults(routes, live)]
  if (faults.length > 0) return yield* Effect.die(new Error(`KYC providers: ${faults.join("; ")}.`))
  const sandbox = yield* guard(yield* makeSandbox, settings)
  const guarded = new Map<string, KycProviderShape>()
  for (const provider of live) guarded.set(provider.name, yield* guard(provider, settings))
  const test = [sandbox]
  return KycProviders.of({
    routeOf: (environment, kind) =>
      environment === "TEST" ? test : (routes[kind] ?? []).flatMap((name) => guarded.get(name) ?? []),
    askedFor: ({ environment, provider = "" }) => {
      if (environment === "LIVE") return guarded.get(provider)
      return provider === sandbox.name ? sandbox : undefined
    },
    named: (name) => guarded.get(name)
  })
})

/** Provides the sandbox for TEST, and no provider for LIVE. */
export const layerSandbox: Layer.Layer<KycProviders> = Layer.effect(KycProviders, make([], {}))

/** Provides the sandbox for TEST and, for LIVE, the `KycProvider` for every kind that it supports. */
export const layer: Layer.Layer<KycProviders, never, KycProvider> = Layer.effect(
  KycProviders,
  Effect.flatMap(KycProvider, (live) => make([live], routesOver([live])))
)

/** Like `layerRouted`, but builds each provider from its own layer. */
export const layerOf = <E, R>(
  live: ReadonlyArray<Layer.Layer<KycProvider, E, R>>,
  routes: KycRoutes
): Layer.Layer<KycProviders, E, R> =>
  Layer.unwrap(
    Effect.map(
      Effect.forEach(live, (each) => Effect.map(Layer.build(each), Context.get(KycProvider))),
      (providers) => layerRouted(providers, routes)
    )
  )

/**
 * Provides the sandbox for TEST, and the providers of `live` for LIVE, selected by `routes`. A provider without a route
 * gets no new verifications, but its callbacks and late results still count. Dies if a route names a provider that is
 * unknown or does not verify that kind. Also dies if a provider's name is malformed, repeated or the sandbox's.
 */
export const layerRouted = (live: ReadonlyArray<KycProviderShape>, routes: KycRoutes): Layer.Layer<KycProviders> =>
  Layer.effect(KycProviders, make(live, routes))
