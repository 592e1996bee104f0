import { assert, it } from "@effect/vitest"
import { checkKyc } from "@surety/server/doctor/checkKyc"
import { kycVendors } from "@surety/server/kyc/kycSetup"
import { parseSettings } from "@surety/server/settings/parseSettings"
import * as KoraVendor from "@surety/testing/kyc/vendor/KoraVendor"
import * as SmileIdVendor from "@surety/testing/kyc/vendor/SmileIdVendor"
import { Effect, Result } from "effect"
import { textOf } from "../docs/Fence.js"

const kora = { KYC_KORA_SECRET_KEY: KoraVendor.secretKey }
const smileId = { KYC_SMILE_ID_PARTNER_ID: "4321", KYC_SMILE_ID_API_KEY: SmileIdVendor.apiKey }

const faultsOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const parsed = parseSettings(environment)
  return Result.isFailure(parsed) ? parsed.failure.map(({ detail, name }) => `${name} ${detail}`) : []
}

it("accepts the vendors' settings, alone and together", () => {
  assert.deepStrictEqual(faultsOf({ KYC_ROUTES: "bvn=smile-id,kora;nin_phone=kora", ...kora, ...smileId }), [])
  assert.deepStrictEqual(faultsOf(kora), [])
  for (const url of ["https://proxy.example/kora/v1", "http://127.0.0.1:4000", "http://localhost:4000/v1"]) {
    assert.deepStrictEqual(faultsOf({ ...kora, KYC_KORA_URL: url }), [], url)
  }
})

it("accepts each block of settings that the page of the vendors shows", () => {
  const page = textOf("docs/platform/kyc-vendors.md")
  const blocks = Array.from(page.matchAll(/^```sh\n(.*?)^```/gmsu), ([, block = ""]) => block)
  assert.isAtLeast(blocks.length, 2)
  for (const block of blocks) {
    const lines = block.trim().split("\n")
    const pairs = lines.map((line) => [
      line.slice(0, line.indexOf("=")),
      line
        .slice(line.indexOf("=") + 1)
        .replaceAll("'", "")
        .replace("…", "0123456789")
    ])
    assert.deepStrictEqual(faultsOf(Object.fromEntries(pairs)), [], block)
  }
})

it("names each fault and no secret: a missing key, a kind that a vendor lacks, an address without TLS", () => {
  const faults = faultsOf({
    KYC_ROUTES: "nin_phone=smile-id;bvn=kora",
    KYC_SMILE_ID_PARTNER_ID: "partner",
    KYC_SMILE_ID_API_KEY: "a key",
    KYC_KORA_URL: "http://vendor.example"
  })
  assert.lengthOf(faults, 5)
  for (const [index, start] of [
    "KYC_ROUTES is invalid: smile-id does not verify nin_phone",
    "KYC_SMILE_ID_PARTNER_ID must be 1 to 10 digits",
    "KYC_SMILE_ID_API_KEY must be 8 to 1024 visible ASCII characters",
    "KYC_KORA_URL must be https",
    "KYC_KORA_SECRET_KEY must be set, because KYC_ROUTES names kora"
  ].entries()) {
    assert.isTrue(faults[index]?.startsWith(start), faults.join("\n"))
  }
  assert.notInclude(faults.join(), "a key")
  for (const url of [
    "https://user:secret@kora.example",
    "https://kora.example/?key=1",
    "https://kora.example/#1",
    "kora"
  ]) {
    assert.lengthOf(faultsOf({ ...kora, KYC_KORA_URL: url }), 1, url)
  }
})

it.live("says by the doctor which vendor refuses its credentials, which accepts them, and which is out of reach", () =>
  Effect.gen(function* () {
    const koraUrl = yield* KoraVendor.make().listen
    const smileUrl = yield* SmileIdVendor.make().server.listen
    const gone = yield* Effect.scoped(KoraVendor.make().listen)
    const check = (environment: Readonly<Record<string, string>>) =>
      Effect.map(checkKyc(environment, kycVendors), (found) =>
        found.map(({ about, detail, verdict }) => `${verdict} ${about}: ${detail}`)
      )
    const both = { ...kora, KYC_KORA_URL: koraUrl, ...smileId, KYC_SMILE_ID_URL: smileUrl }
    assert.deepStrictEqual(yield* check(both), [
      "ok kyc smile-id: The vendor accepts the credentials.",
      "ok kyc kora: The vendor accepts the credentials."
    ])
    const refused = yield* check({ ...both, KYC_KORA_SECRET_KEY: "sk_live_other", KYC_SMILE_ID_API_KEY: "another-key" })
    assert.deepStrictEqual(refused, [
      "fault kyc smile-id: The vendor rejects the credentials. Check KYC_SMILE_ID_PARTNER_ID, KYC_SMILE_ID_API_KEY, " +
        "KYC_SMILE_ID_URL.",
      "fault kyc kora: The vendor rejects the credentials. Check KYC_KORA_SECRET_KEY, KYC_KORA_URL."
    ])
    const away = yield* check({ ...kora, KYC_KORA_URL: gone })
    assert.lengthOf(away, 1)
    assert.match(away[0] ?? "", /^fault kyc kora: The vendor did not say/u)
    assert.deepStrictEqual(yield* check({}), [])
  }).pipe(Effect.scoped)
)
