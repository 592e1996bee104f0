import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { vendor } from "@surety/server/kyc/KycVendor"
import { parseSettings } from "@surety/server/settings/parseSettings"
import { setting } from "@surety/server/settings/Setting"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"

const secret = (name: string) =>
  setting(name, {
    meaning: "the vendor's secret key",
    unset: "unset",
    read: (text) => (text.startsWith("sk_") ? Result.succeed(Redacted.make(text)) : Result.fail("must begin with sk_"))
  })

const kora = vendor({
  name: "kora",
  kinds: ["bvn", "nin"],
  settings: {
    secretKey: secret("KYC_KORA_SECRET_KEY"),
    url: setting("KYC_KORA_URL", {
      meaning: "where Kora is",
      default: "https://kora.example",
      read: Result.succeed<string>
    })
  },
  required: ["secretKey"],
  fromSettings: ({ secretKey, url }) => FakeKycProvider.make({ name: `kora-${Redacted.value(secretKey)}-${url}` }).layer
})

const qoreid = vendor({
  name: "qoreid",
  kinds: ["bvn"],
  settings: { clientId: secret("KYC_QOREID_CLIENT_ID"), secret: secret("KYC_QOREID_SECRET") },
  required: ["clientId", "secret"],
  fromSettings: () => FakeKycProvider.make({ name: "qoreid" }).layer
})

const read = (environment: Readonly<Record<string, string>>) => parseSettings(environment, [kora, qoreid])

const faultsOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const parsed = read(environment)
  return Result.isFailure(parsed) ? parsed.failure.map(({ detail, name }) => `${name} ${detail}`) : []
}

const namesOf = (environment: Readonly<Record<string, string>>) => {
  const { kyc } = Result.getOrThrow(read(environment))
  const built = Effect.forEach(kyc.providers, (each: Layer.Layer<KycProvider>) =>
    Effect.map(Layer.build(each), (context) => Context.get(context, KycProvider).name)
  )
  return Effect.runPromise(Effect.scoped(built))
}

describe("The settings of KYC", () => {
  it("are none by default: LIVE verifies no one", () => {
    assert.deepInclude(Result.getOrThrow(read({})).kyc, { providers: [], routes: {} })
  })

  it("make each routed vendor, and one without a route whose settings are set", async () => {
    const environment = { KYC_ROUTES: "bvn=kora", KYC_KORA_SECRET_KEY: "sk_1" }
    assert.deepStrictEqual(Result.getOrThrow(read(environment)).kyc.routes, { bvn: ["kora"] })
    assert.deepStrictEqual(await namesOf(environment), ["kora-sk_1-https://kora.example"])
    const both = { ...environment, KYC_QOREID_CLIENT_ID: "sk_2", KYC_QOREID_SECRET: "sk_3" }
    assert.deepStrictEqual(await namesOf(both), ["kora-sk_1-https://kora.example", "qoreid"])
  })

  it("stop the start with every fault at once, and quote no secret", () => {
    const faults = faultsOf({
      KYC_ROUTES: "bvn=qoreid,kora,mono;nin=qoreid",
      KYC_QOREID_CLIENT_ID: "hunter2",
      PORT: "no"
    })
    assert.deepStrictEqual(faults, [
      'PORT is "no"; it must be a whole number from 0 to 65535',
      "KYC_ROUTES is invalid: bvn names mono, which is not configured",
      "KYC_ROUTES is invalid: qoreid does not verify nin",
      "KYC_KORA_SECRET_KEY must be set, because KYC_ROUTES names kora: the vendor's secret key",
      "KYC_QOREID_CLIENT_ID must begin with sk_",
      "KYC_QOREID_SECRET must be set, because KYC_ROUTES names qoreid: the vendor's secret key"
    ])
    assert.notInclude(faults.join(), "hunter2")
    assert.deepStrictEqual(faultsOf({ KYC_ROUTES: "bvn" }), [
      "KYC_ROUTES is invalid: bvn must name its providers: bvn=first,second"
    ])
    assert.deepStrictEqual(faultsOf({ KYC_QOREID_SECRET: "sk_1" }), [
      "KYC_QOREID_CLIENT_ID must be set, because other settings of qoreid are set: the vendor's secret key"
    ])
  })
})
