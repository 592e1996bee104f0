import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { kycVendors } from "@surety/server/kyc/kycSetup"
import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

/** Required settings of each vendor. `sandbox` is the name and value of a setting that selects its sandbox, if any. */
const environments: Readonly<
  Record<string, { readonly live: Readonly<Record<string, string>>; readonly sandbox?: readonly [string, string] }>
> = {
  "smile-id": {
    live: { KYC_SMILE_ID_PARTNER_ID: "1234", KYC_SMILE_ID_API_KEY: "smile-canary" },
    sandbox: ["KYC_SMILE_ID_URL", "https://testapi.smileidentity.com/v1"]
  },
  kora: { live: { KYC_KORA_SECRET_KEY: "sk_live_canary" }, sandbox: ["KYC_KORA_SECRET_KEY", "sk_test_canary"] },
  qoreid: {
    live: {
      KYC_QOREID_CLIENT_ID: "CLIENT1",
      KYC_QOREID_SECRET: "qoreid-canary",
      KYC_QOREID_WEBHOOK_SECRET: "qoreid-webhook-canary"
    }
  },
  mono: { live: { KYC_MONO_SECRET_KEY: "live_sk_canary" }, sandbox: ["KYC_MONO_SECRET_KEY", "test_sk_canary"] },
  youverify: {
    live: { KYC_YOUVERIFY_TOKEN: "youverify-canary", KYC_YOUVERIFY_WEBHOOK_SECRET: "youverify-webhook-canary" },
    sandbox: ["KYC_YOUVERIFY_URL", "https://api.sandbox.youverify.co"]
  }
}

const production = { SURETY_PROFILE: "production" }

describe.each(kycVendors.map((vendor) => [vendor.name, vendor] as const))("The settings of %s", (name, vendor) => {
  const { live } = environments[name] ?? assert.fail("every vendor has an environment here")

  it("make its provider, in production too", async () => {
    const { faults, missing, provider } = vendor.read({ ...production, ...live })
    assert.deepStrictEqual([faults, missing], [[], []])
    const built = Effect.map(Layer.build(provider ?? assert.fail("it is built")), (context) =>
      Context.get(context, KycProvider)
    )
    const { capabilities, name: builtName } = await Effect.runPromise(Effect.scoped(built))
    assert.strictEqual(builtName, name)
    assert.deepStrictEqual(capabilities.kinds, vendor.kinds)
  })

  it("are all named when they are missing, and begin with the vendor's name", () => {
    const { isNamed, missing, provider } = vendor.read({})
    assert.isFalse(isNamed)
    assert.isUndefined(provider)
    assert.sameMembers(
      missing.map((each) => each.name),
      Object.keys(live)
    )
    const prefix = `KYC_${name.toUpperCase().replace("-", "_")}_`
    for (const each of vendor.settings) assert.isTrue(each.name.startsWith(prefix), each.name)
  })

  it("stop the start when they are wrong, and quote no secret", () => {
    for (const setting of Object.keys(live)) {
      const { faults, provider } = vendor.read({ ...live, [setting]: "a canary with spaces" })
      assert.deepStrictEqual(
        faults.map((fault) => fault.name),
        [setting]
      )
      assert.notInclude(faults[0]?.detail, "canary")
      assert.isUndefined(provider)
    }
    const url = vendor.settings.find((each) => each.name.endsWith("_URL"))?.name ?? assert.fail("it has a url")
    assert.lengthOf(vendor.read({ ...live, [url]: "http://vendor.example" }).faults, 1)
    assert.lengthOf(vendor.read({ ...live, [url]: "http://127.0.0.1:8080" }).faults, 0)
  })
})

const withSandbox = kycVendors.flatMap((vendor) => {
  const { live, sandbox } = environments[vendor.name] ?? {}
  return sandbox === undefined
    ? []
    : [[vendor.name, vendor, { ...live, [sandbox[0]]: sandbox[1] }, sandbox[0]] as const]
})

it.each(withSandbox)("Settings of the sandbox of %s stop production", (_, vendor, environment, setting) => {
  assert.deepStrictEqual(vendor.read(environment).faults, [])
  const { faults, provider } = vendor.read({ ...production, ...environment })
  assert.deepStrictEqual(
    faults.map((fault) => fault.name),
    [setting]
  )
  assert.isUndefined(provider)
})
