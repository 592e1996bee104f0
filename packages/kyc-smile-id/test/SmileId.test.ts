import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { KycProvider, type KycSubmission, type KycValidation } from "@surety/core/kyc/provider/KycProvider"
import type { CheckResult, VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as SmileId from "@surety/kyc-smile-id/SmileId"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { submissionOf } from "@surety/testing/kyc/KycProviderLaws"
import * as SmileIdVendor from "@surety/testing/kyc/vendor/SmileIdVendor"
import * as VendorCanaryLaws from "@surety/testing/kyc/vendor/VendorCanaryLaws"
import * as VendorKillLaws from "@surety/testing/kyc/vendor/VendorKillLaws"
import type { VendorReply, VendorServer } from "@surety/testing/kyc/vendor/VendorServer"
import { Effect, Layer, Option, Redacted, Result, Schema } from "effect"

const { numbers, partnerId } = SmileIdVendor
const apiKey = Redacted.make(SmileIdVendor.apiKey)

const layerOver = (server: VendorServer, key = apiKey) =>
  Layer.unwrap(Effect.map(server.listen, (url) => SmileId.layer({ partnerId, apiKey: key, url })))

const lawful = SmileIdVendor.make()
KycFixtureLaws.suite("Smile ID", layerOver(lawful.server), lawful.fixture)

const played = {
  make: () => SmileIdVendor.make().server,
  adapter: (url: string) => SmileId.layer({ partnerId, apiKey, url }),
  verified: { kind: "bvn", id: numbers.found },
  credentials: [SmileIdVendor.apiKey]
} as const
VendorKillLaws.suite("Smile ID", played)
VendorCanaryLaws.suite("Smile ID", played)

interface Asked {
  readonly kind?: VerificationKind
  readonly id?: string
  readonly validation?: KycValidation
  readonly answered?: { readonly reply: VendorReply; readonly isDone: boolean }
  readonly key?: Redacted.Redacted<string>
}

const submitTo = Effect.fnUntraced(function* (vendor: ReturnType<typeof SmileIdVendor.make>, asked: Asked = {}) {
  const { answered, id = numbers.found, key = apiKey, kind = "bvn", validation } = asked
  if (answered !== undefined) yield* vendor.server.script(answered)
  const made = yield* submissionOf({ kind, id })
  const submission: KycSubmission = { ...made, validation: validation ?? made.validation }
  const provider = yield* Effect.provide(KycProvider, yield* Layer.build(layerOver(vendor.server, key)))
  const result = yield* Effect.result(provider.submit(submission))
  const said = Result.isSuccess(result) ? result.success : result.failure
  return { provider, submission, said, charged: yield* vendor.server.charged, received: vendor.server.received }
})

const submit = (asked: Asked = {}) => submitTo(SmileIdVendor.make(), asked)

const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

it.live("submits each kind under its type, with our reference as the job's", () =>
  Effect.gen(function* () {
    for (const [kind, type] of [
      ["bvn", "BVN"],
      ["nin", "NIN_V2"],
      ["vnin", "V_NIN"],
      ["phone", "PHONE_NUMBER"]
    ] as const) {
      const { received, submission } = yield* submit({ kind })
      const { reference } = submission
      assert.deepInclude(readBody(received[0]?.body), {
        partner_id: partnerId,
        country: "NG",
        id_type: type,
        id_number: numbers.found,
        first_name: "Lawfirst",
        last_name: "Lawlast",
        dob: "1977-03-09",
        partner_params: { job_id: reference, user_id: reference, job_type: 5, compared: "both" }
      })
    }
    const { received } = yield* submit({ validation: {} })
    const body = readBody(received[0]?.body)
    for (const field of ["first_name", "last_name", "dob", "selfie"]) assert.notProperty(body, field)
  }).pipe(Effect.scoped)
)

const checks = (names: CheckResult, date_of_birth: CheckResult) => ({
  first_name: names,
  last_name: names,
  date_of_birth
})

it.live("reads each documented code and verdict by its table", () =>
  Effect.gen(function* () {
    for (const [id, expected] of [
      [numbers.found, { _tag: "Verified", checks: checks("MATCH", "MATCH") }],
      [numbers.partialMatch, { _tag: "Verified", checks: checks("PARTIAL", "MATCH") }],
      [numbers.transposed, { _tag: "Verified", checks: checks("PARTIAL", "MATCH") }],
      [numbers.noMatch, { _tag: "Verified", checks: checks("NO_MATCH", "MATCH") }],
      [numbers.notFound, { _tag: "Failed", reason: "id_not_found" }],
      [numbers.malformed, { _tag: "Failed", reason: "id_format" }],
      [numbers.registryDown, { _tag: "Errored", reason: "registry_down" }]
    ] as const) {
      const { said } = yield* submit({ id })
      assert.deepInclude(said, { ...expected, providerReference: "0000000001" }, id)
    }
  }).pipe(Effect.scoped)
)

it.live("tells the same by a lookup, of the names that were sent only", () =>
  Effect.gen(function* () {
    for (const validation of [
      { firstName: Redacted.make("Ada") },
      { lastName: Redacted.make("Obi") },
      { dateOfBirth: Redacted.make("1990-01-01") },
      {}
    ]) {
      const { provider, said, submission } = yield* submit({ validation })
      assert.deepInclude(said, {
        _tag: "Verified",
        checks: {
          first_name: "firstName" in validation ? "MATCH" : "NOT_CHECKED",
          last_name: "lastName" in validation ? "MATCH" : "NOT_CHECKED",
          date_of_birth: "dateOfBirth" in validation ? "MATCH" : "NOT_CHECKED"
        }
      })
      const found = yield* provider.lookup({ ...submission, providerReference: undefined })
      assert.deepEqual(Option.getOrUndefined(found), said)
    }
  }).pipe(Effect.scoped)
)

it.live("leaves Smile ID's circuit closed, however many requests are wrong or for a product that is not enabled", () =>
  Effect.gen(function* () {
    const { server } = SmileIdVendor.make()
    const provider = yield* Effect.flatMap(KycProvider, (smileId) => guard(smileId, defaultKycSettings)).pipe(
      Effect.provide(yield* Layer.build(layerOver(server)))
    )
    for (const [code, reason] of [
      ["2213", "request_refused"],
      ["2220", "product_not_enabled"]
    ] as const) {
      for (let time = 0; time < defaultKycSettings.breaker.failures; time += 1) {
        yield* server.script({ reply: { status: 400, body: { code } }, isDone: false })
        const submission = yield* submissionOf({ kind: "bvn", id: numbers.found })
        assert.deepInclude(yield* Effect.flip(provider.submit(submission)), { reason })
      }
    }
  }).pipe(Effect.scoped)
)

it.live("distinguishes a request that became no job, of any status, from a fault that may have made one", () =>
  Effect.gen(function* () {
    for (const [status, code, tag, reason] of [
      [400, "2205", "KycNotSubmitted", "credentials_refused"],
      [401, "2405", "KycNotSubmitted", "credentials_refused"],
      [400, "2213", "KycNotSubmitted", "request_refused"],
      [200, "2204", "KycNotSubmitted", "request_refused"],
      [400, "2220", "KycNotSubmitted", "product_not_enabled"],
      [400, 2413, "KycNotSubmitted", "request_refused"],
      [500, "2201", "KycOutcomeUnknown", "http_500"],
      [200, "2301", "KycOutcomeUnknown", "answer_not_understood"],
      [401, "2401", "KycOutcomeUnknown", "http_401"],
      [400, "2999", "KycOutcomeUnknown", "http_400"],
      [402, undefined, "KycNotSubmitted", "balance_empty"],
      [429, undefined, "KycNotSubmitted", "rate_limited"],
      [401, undefined, "KycNotSubmitted", "credentials_refused"],
      [502, undefined, "KycOutcomeUnknown", "http_502"]
    ] as const) {
      const body = { error: `no ${numbers.found}`, ...(code === undefined ? {} : { code }) }
      const { said } = yield* submit({ answered: { reply: { status, body }, isDone: false } })
      assert.deepInclude(said, { _tag: tag, reason }, `${status} ${code}`)
    }
    const wrong = yield* submit({ key: Redacted.make("another") })
    assert.deepInclude(wrong.said, { _tag: "KycNotSubmitted", reason: "credentials_refused" })
    assert.strictEqual(wrong.charged, 0)
  }).pipe(Effect.scoped)
)

it.live("looks a job up that exists already, and never takes a repeat for a refusal", () =>
  Effect.gen(function* () {
    const exists = { reply: { status: 400, body: { error: "", code: "2215" } }, isDone: false }
    const { charged, said } = yield* submit({ answered: exists })
    assert.deepInclude(said, { _tag: "KycOutcomeUnknown", reason: "job_exists" })
    assert.strictEqual(charged, 0)
    const lost = yield* submit({ answered: { reply: "cut", isDone: true } })
    assert.strictEqual(lost.said._tag, "KycOutcomeUnknown")
    assert.strictEqual((yield* lost.provider.submit(lost.submission))._tag, "Verified")
    assert.strictEqual(lost.charged, 1)
  }).pipe(Effect.scoped)
)

const resultOf = (reference: string, more: object) => ({
  SmileJobID: "0000000009",
  PartnerParams: { job_id: reference },
  ResultCode: "1020",
  IsFinalResult: "true",
  Actions: { Verify_ID_Number: "Verified", Names: "Exact Match", DOB: "Exact Match" },
  ...more
})

it.live("verifies no one by an answer that contradicts itself, is another's, or has a word that is not known", () =>
  Effect.gen(function* () {
    const vendor = SmileIdVendor.make()
    const { provider, submission } = yield* submitTo(vendor)
    const { reference } = submission
    const actions = resultOf(reference, {}).Actions
    for (const [more, expected] of [
      [{}, "Verified"],
      [{ ResultCode: 1020 }, "Verified"],
      [{ IsFinalResult: "false" }, "Pending"],
      [{ PartnerParams: { job_id: "kyc_other" } }, "Unrecognised"],
      [{ ResultCode: "1024" }, "Unrecognised"],
      [{ ResultCode: "toString" }, "Unrecognised"],
      [{ Actions: null }, "Unrecognised"],
      [{ Actions: { ...actions, Verify_ID_Number: "Not Verified" } }, "Unrecognised"],
      [{ Actions: { ...actions, Names: "No Match" } }, "Unrecognised"],
      [{ Actions: { ...actions, Names: "Nearly" } }, "Unrecognised"],
      [{ Actions: { ...actions, DOB: 1 } }, "Unrecognised"],
      [{ ResultCode: "1022" }, "Unrecognised"],
      [{ ResultCode: "1012", Actions: { Verify_ID_Number: "Verified" } }, "Verified"]
    ] as const) {
      yield* vendor.server.script({ reply: { status: 200, body: resultOf(reference, more) }, isDone: false })
      const said = yield* provider.submit(submission)
      assert.strictEqual(said._tag, expected, JSON.stringify(more))
    }
  }).pipe(Effect.scoped)
)

it.live("waits for a job that is not complete, and does not understand a complete one without a result", () =>
  Effect.gen(function* () {
    const vendor = SmileIdVendor.make()
    const { provider, submission } = yield* submitTo(vendor)
    const query = { ...submission, providerReference: undefined }
    const job = resultOf(submission.reference, {})
    for (const [more, expected] of [
      [{ job_complete: true, result: job }, "Verified"],
      [{ job_complete: false, result: job }, "Pending"],
      [{ job_complete: true, result: null }, "Unrecognised"],
      [{ job_complete: true, result: { ...job, PartnerParams: { job_id: "kyc_other" } } }, "Unrecognised"]
    ] as const) {
      yield* vendor.scriptStatus(more)
      const found = Option.getOrUndefined(yield* provider.lookup(query))
      assert.strictEqual(found?._tag, expected, JSON.stringify(more))
    }
    for (const more of [{ job_complete: false }, { job_complete: false, result: null }]) {
      yield* vendor.scriptStatus(more)
      assert.deepEqual(yield* provider.lookup(query), Option.none())
    }
    for (const more of [{ job_complete: "true", result: job }, { result: job }]) {
      yield* vendor.scriptStatus(more)
      assert.strictEqual((yield* Effect.flip(provider.lookup(query)))._tag, "KycOutcomeUnknown")
    }
  }).pipe(Effect.scoped)
)

it.live("believes no status that Smile ID's key did not sign", () =>
  Effect.gen(function* () {
    const vendor = SmileIdVendor.make()
    const { submission } = yield* submitTo(vendor)
    const other = yield* Effect.provide(KycProvider, yield* Layer.build(layerOver(vendor.server, Redacted.make("x"))))
    const error = yield* Effect.flip(other.lookup({ ...submission, providerReference: undefined }))
    assert.strictEqual(error._tag, "KycOutcomeUnknown")
  }).pipe(Effect.scoped)
)

it.live("reads a callback as a hint: in time, signed, about one of our jobs", () =>
  Effect.gen(function* () {
    const vendor = SmileIdVendor.make()
    const { provider, submission } = yield* submitTo(vendor)
    const { reference } = submission
    const now = Date.now()
    const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
    const hint = { _tag: "Hint", about: { reference } }
    for (const timestamp of [at(0), at(-14), at(14)]) {
      assertEquals<unknown>(yield* provider.callback(vendor.callbackOf(reference, timestamp)), hint)
    }
    for (const timestamp of [at(-16), at(16), "soon", ""]) {
      const called = yield* provider.callback(vendor.callbackOf(reference, timestamp))
      assert.strictEqual(called._tag, "NotAuthentic", timestamp)
    }
    const forged = yield* provider.callback(vendor.callbackOf(reference, at(0), "another"))
    assert.strictEqual(forged._tag, "NotAuthentic")
    assert.strictEqual((yield* provider.callback(vendor.callbackOf("another-product")))._tag, "Irrelevant")
  }).pipe(Effect.scoped)
)

it.live("says whether Smile ID accepts the credentials, without charge", () =>
  Effect.gen(function* () {
    const { server } = SmileIdVendor.make()
    const url = yield* server.listen
    assert.deepEqual(yield* SmileId.acceptsCredentials({ partnerId, apiKey, url }), Option.some(true))
    const other = Redacted.make("another")
    assert.deepEqual(yield* SmileId.acceptsCredentials({ partnerId, apiKey: other, url }), Option.some(false))
    const gone = yield* Effect.scoped(SmileIdVendor.make().server.listen)
    assert.deepEqual(yield* SmileId.acceptsCredentials({ partnerId, apiKey, url: gone }), Option.none())
    assert.strictEqual(yield* server.charged, 0)
  }).pipe(Effect.scoped)
)
