import { assert, describe, it } from "@effect/vitest"
import { KycProvider, type KycProviderShape } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { sandbox } from "@surety/core/kyc/provider/SandboxKycProvider"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import * as KycProviderLaws from "@surety/testing/kyc/KycProviderLaws"
import { Cause, Effect, Exit, Layer } from "effect"

const notFound = { kind: "phone", id: "08000000001" } as const

KycProviderLaws.suite("sandbox", Layer.succeed(KycProvider, sandbox), {
  verified: { kind: "bvn", id: "22222222222" },
  notFound
})

// The fake gives these outcomes in order. The first law submits a number that exists, the second an unknown number.
KycProviderLaws.suite("fake", FakeKycProvider.make({ submissions: ["verified", "not_found"] }).layer, {
  verified: { kind: "nin", id: "55555555555" },
  notFound
})

const provider = (name: string, ...kinds: KycProviderShape["capabilities"]["kinds"]): KycProviderShape => ({
  ...sandbox,
  name,
  capabilities: { ...sandbox.capabilities, kinds }
})

const providersOf = (layer: Layer.Layer<KycProviders.KycProviders>) =>
  Effect.provide(
    Effect.map(KycProviders.KycProviders, (providers) => providers),
    layer
  )

const namesOf = (route: ReadonlyArray<KycProviderShape>) => route.map(({ name }) => name)

const askedBy = (environment: "TEST" | "LIVE", name?: string) =>
  ({ environment, ...(name === undefined ? {} : { provider: name }) }) as Verification

describe("The providers", () => {
  it.effect("are the sandbox in TEST, for any kind, and those of the kind's route in LIVE", () =>
    Effect.gen(function* () {
      const live = [provider("kora", "bvn", "nin"), provider("qoreid", "bvn", "phone")]
      const providers = yield* providersOf(KycProviders.layerRouted(live, { bvn: ["qoreid", "kora"], nin: ["kora"] }))
      for (const kind of ["bvn", "nin", "vnin", "phone"] as const) {
        assert.deepStrictEqual(namesOf(providers.routeOf("TEST", kind)), ["sandbox"])
      }
      assert.deepStrictEqual(namesOf(providers.routeOf("LIVE", "bvn")), ["qoreid", "kora"])
      assert.deepStrictEqual(namesOf(providers.routeOf("LIVE", "nin")), ["kora"])
      assert.deepStrictEqual(namesOf(providers.routeOf("LIVE", "phone")), [], "it has no route")
      assert.strictEqual(providers.named("qoreid")?.name, "qoreid")
      assert.isUndefined(providers.named("sandbox"), "it has no callbacks")
      assert.isUndefined(providers.named("acme"))
    })
  )

  it.effect("that a verification was given to are found in its own environment alone", () =>
    Effect.gen(function* () {
      const providers = yield* providersOf(KycProviders.layerRouted([provider("kora", "bvn")], {}))
      const found = [
        askedBy("LIVE", "kora"),
        askedBy("LIVE", "sandbox"),
        askedBy("LIVE"),
        askedBy("TEST", "sandbox"),
        askedBy("TEST", "kora"),
        askedBy("TEST")
      ].map((verification) => providers.askedFor(verification)?.name)
      assert.deepStrictEqual(found, ["kora", undefined, undefined, "sandbox", undefined, undefined])
    })
  )

  it.effect("are none in LIVE if the host has none, and the one that it has for each of its kinds", () =>
    Effect.gen(function* () {
      const none = yield* providersOf(KycProviders.layerSandbox)
      assert.deepStrictEqual(none.routeOf("LIVE", "bvn"), [])
      const one = yield* providersOf(
        Layer.provide(KycProviders.layer, Layer.succeed(KycProvider, provider("kora", "bvn", "nin")))
      )
      assert.deepStrictEqual(
        (["bvn", "nin", "phone"] as const).map((kind) => namesOf(one.routeOf("LIVE", kind))),
        [["kora"], ["kora"], []]
      )
    })
  )

  it.effect("may be layers, each with its own provider", () =>
    Effect.gen(function* () {
      const live = [provider("kora", "bvn"), provider("qoreid", "bvn", "nin")]
      const layers = live.map((each) => Layer.succeed(KycProvider, each))
      const providers = yield* providersOf(KycProviders.layerOf(layers, { bvn: ["qoreid", "kora"] }))
      assert.deepStrictEqual(namesOf(providers.routeOf("LIVE", "bvn")), ["qoreid", "kora"])
      assert.deepStrictEqual(namesOf(providers.routeOf("LIVE", "nin")), [])
      assert.strictEqual(providers.named("kora")?.name, "kora")
    })
  )

  it.effect("stop the start with every fault at once", () =>
    Effect.gen(function* () {
      const live = [provider("kora", "bvn"), provider("sandbox", "bvn")]
      const exit = yield* Effect.exit(providersOf(KycProviders.layerRouted(live, { nin: ["kora"], bvn: ["acme"] })))
      const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : assert.fail("it starts")
      for (const fault of [
        "sandbox is reserved for TEST; ",
        "bvn names acme, which is not configured; ",
        "kora does not verify nin."
      ]) {
        assert.include(text, fault)
      }
    })
  )
})
