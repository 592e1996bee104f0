import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycProvider, type KycValidation } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as Youverify from "@surety/kyc-youverify/Youverify"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { personal, submissionOf } from "@surety/testing/kyc/KycProviderLaws"
import * as VendorCanaryLaws from "@surety/testing/kyc/vendor/VendorCanaryLaws"
import * as VendorKillLaws from "@surety/testing/kyc/vendor/VendorKillLaws"
import type { VendorReply } from "@surety/testing/kyc/vendor/VendorServer"
import * as YouverifyVendor from "@surety/testing/kyc/vendor/YouverifyVendor"
import { Effect, Layer, Redacted, Result, type Schema } from "effect"

const { credentials, numbers } = YouverifyVendor

const adapter = (url: string): Layer.Layer<KycProvider> =>
  Youverify.layer({
    token: Redacted.make(credentials.token),
    webhookSecret: Redacted.make(credentials.webhookSecret),
    url
  })

const layerOver = ({ server }: YouverifyVendor.YouverifyVendor) => Layer.unwrap(Effect.map(server.listen, adapter))

const lawful = YouverifyVendor.make()
KycFixtureLaws.suite("Youverify", layerOver(lawful), lawful.fixture)

const played = {
  make: () => YouverifyVendor.make().server,
  adapter,
  verified: { kind: "bvn", id: numbers.bvn },
  credentials: Object.values(credentials)
} as const
VendorKillLaws.suite("Youverify", played)
VendorCanaryLaws.suite("Youverify", played)

const withVendor = <A, E>(test: (vendor: YouverifyVendor.YouverifyVendor) => Effect.Effect<A, E, KycProvider>) =>
  Effect.suspend(() => {
    const vendor = YouverifyVendor.make()
    return Effect.scoped(Effect.provide(test(vendor), layerOver(vendor)))
  })

const said = (result: Result.Result<KycOutcome, { readonly _tag: string; readonly reason: string }>) =>
  Result.match(result, {
    onFailure: ({ _tag, reason }) => `${_tag} ${reason}`,
    onSuccess: (outcome) => ("reason" in outcome ? `${outcome._tag} ${outcome.reason}` : outcome._tag)
  })

const submit = Effect.fnUntraced(function* (kind: VerificationKind, id: string, validation?: KycValidation) {
  const provider = yield* KycProvider
  const submission = yield* submissionOf({ kind, id })
  const sent = { ...submission, validation: validation ?? submission.validation }
  return { provider, submission, result: yield* Effect.result(provider.submit(sent)) }
})

const found = (change: Readonly<Record<string, Schema.Json>>): VendorReply => ({
  status: 200,
  body: { success: true, statusCode: 200, message: "success", data: { id: "646b", status: "found", ...change } }
})

const error = (statusCode: number, message: string): VendorReply => ({
  status: statusCode,
  body: { success: false, statusCode, message, name: "SomeError", data: {} }
})

describe("Youverify's answers", () => {
  const cases: ReadonlyArray<readonly [what: string, reply: VendorReply, expected: string]> = [
    ["found", found({}), "Verified"],
    ["found without an id", found({ id: null }), "Verified"],
    ["found of another reference", found({ metadata: { reference: "kyc_another" } }), "Unrecognised"],
    ["not found", found({ status: "not_found" }), "Failed id_not_found"],
    ["pending", found({ status: "pending" }), "Pending"],
    ["failed", found({ status: "failed" }), "Errored provider_failed"],
    ["a new status", found({ status: "in_review" }), "Unrecognised"],
    [
      "a success that is none",
      { status: 200, body: { success: false, data: { status: "found" } } },
      "KycOutcomeUnknown answer_not_understood"
    ],
    ["no data", { status: 200, body: { success: true } }, "KycOutcomeUnknown answer_not_understood"],
    ["not found, 404", error(404, "Record not found"), "Failed id_not_found"],
    ["a path that it does not have", error(404, "Cannot POST /v2/api/identity/ng/bvn"), "KycOutcomeUnknown http_404"],
    ["another path that it does not have", error(404, "Route not found"), "KycOutcomeUnknown http_404"],
    ["a 404 of something else", { status: 404, body: "<html>404</html>" }, "KycOutcomeUnknown http_404"],
    ["a bad format", error(400, "id must have 11 digits"), "Errored request_refused"],
    ["a 400 of something else", { status: 400, body: "bad request" }, "KycOutcomeUnknown http_400"],
    ["a wrong token", error(401, "Unauthorized"), "KycNotSubmitted credentials_refused"],
    ["an empty wallet", error(402, "Insufficient fund"), "KycNotSubmitted balance_empty"],
    ["no permission", error(403, "Permission denied"), "KycNotSubmitted access_refused"],
    ["too many requests", error(429, "Too many requests"), "KycNotSubmitted rate_limited"],
    ["an error of the server", error(500, "not found"), "KycOutcomeUnknown http_500"],
    ["an upstream that is down", error(503, "Unavailable"), "KycOutcomeUnknown http_503"]
  ]
  for (const [what, reply, expected] of cases) {
    it.live(`${what} is ${expected}`, () =>
      withVendor(({ server }) =>
        Effect.gen(function* () {
          yield* server.script({ reply, isDone: true })
          assert.strictEqual(said((yield* submit("bvn", numbers.bvn)).result), expected)
        })
      )
    )
  }
})

describe("Youverify's kinds", () => {
  for (const [kind, id] of [
    ["bvn", numbers.bvn],
    ["nin", numbers.nin],
    ["vnin", numbers.vnin],
    ["nin_phone", numbers.ninPhone]
  ] as const) {
    it.live(`${kind} is verified and compared, by Youverify or by us`, () =>
      withVendor(({ server }) =>
        Effect.gen(function* () {
          const { result, submission } = yield* submit(kind, id)
          assert.deepInclude(Result.getOrThrow(result), {
            checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }
          })
          assert.include(server.received[0]?.body, `"metadata":{"reference":"${submission.reference}"}`)
        })
      )
    )
  }

  it.live("phone is compared with the person of the phone whom it contradicts least", () =>
    withVendor(() =>
      Effect.gen(function* () {
        const { result } = yield* submit("phone", numbers.phone)
        assert.deepInclude(Result.getOrThrow(result), {
          checks: { first_name: "PARTIAL", last_name: "PARTIAL", date_of_birth: "MATCH" }
        })
      })
    )
  )
})

describe("Youverify's comparisons", () => {
  const checksOf = (validation: KycValidation, change: Readonly<Record<string, Schema.Json>>) =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        yield* server.script({ reply: found(change), isDone: true })
        const outcome = Result.getOrThrow((yield* submit("bvn", numbers.bvn, validation)).result)
        return outcome._tag === "Verified" ? outcome.checks : assert.fail(outcome._tag)
      })
    )
  const name = Redacted.make(personal.firstName)

  it.live("win over ours, and count only for what was sent", () =>
    Effect.gen(function* () {
      const data = { firstName: { validated: false, value: "x" }, lastName: { validated: false, value: "" } }
      const checks = yield* checksOf({ firstName: name }, { firstName: personal.firstName, validations: { data } })
      assert.deepEqual(checks, { first_name: "NO_MATCH" })
    })
  )

  it.live("are made by us if Youverify gives no verdict", () =>
    Effect.gen(function* () {
      const checks = yield* checksOf({ firstName: name }, { firstName: personal.firstName, validations: null })
      assert.deepEqual(checks, { first_name: "MATCH" })
    })
  )

  it.live("are not evaded by a person of the phone who has no name", () =>
    Effect.gen(function* () {
      const phoneDetails = [{ fullName: "Bola Musa" }, { fullName: null }, { fullName: "-", dateOfBirth: null }]
      assert.deepEqual(yield* checksOf({ firstName: name }, { phoneDetails }), { first_name: "NO_MATCH" })
      assert.deepEqual(yield* checksOf({ firstName: name }, { phoneDetails: [{}] }), { first_name: "NOT_CHECKED" })
    })
  )

  it.live("of a face are Youverify's alone", () =>
    Effect.gen(function* () {
      const selfie = Redacted.make("data:image/jpeg;base64,/9j/4AAQ")
      assert.deepEqual(yield* checksOf({ selfie }, { selfieValidation: true }), { selfie: "MATCH" })
      assert.deepEqual(yield* checksOf({ selfie }, { selfieValidation: false }), { selfie: "NO_MATCH" })
      assert.deepEqual(yield* checksOf({ selfie }, {}), {})
    })
  )
})

describe("Youverify's webhook", () => {
  it.live("ends what waited for a registry, by our reference, under either header, and reads the same twice", () =>
    withVendor(({ signed, webhook }) =>
      Effect.gen(function* () {
        const { provider, result, submission } = yield* submit("bvn", numbers.later)
        const { reference } = submission
        assert.strictEqual(said(result), "Pending")
        const called = yield* provider.callback(webhook(reference, "found"))
        assert.deepInclude(called._tag === "Answered" ? called.about : {}, { reference })
        assert.strictEqual(called._tag === "Answered" && called.outcome._tag, "Verified")
        assertEquals(yield* provider.callback(webhook(reference, "found")), called)
        const body = {
          event: "identity.verification.completed",
          data: { status: "not_found", metadata: { reference } }
        }
        const other = yield* provider.callback(signed(body, "x-yv-signature"))
        assert.deepEqual(other, {
          _tag: "Answered",
          about: { reference },
          outcome: { _tag: "Failed", providerReference: reference, reason: "id_not_found", checks: {} }
        })
        const genuine = signed(body, "x-yv-signature")
        const both = { ...genuine, headers: { ...genuine.headers, "x-youverify-signature": "00" } }
        assert.deepEqual(yield* provider.callback(both), other, "either header may carry the signature")
      })
    )
  )

  it.live("with a new status is an outcome that is not understood", () =>
    withVendor(({ webhook }) =>
      Effect.gen(function* () {
        const { provider, submission } = yield* submit("bvn", numbers.later)
        const called = yield* provider.callback(webhook(submission.reference, "approved"))
        assert.strictEqual(called._tag === "Answered" && called.outcome._tag, "Unrecognised")
      })
    )
  )

  it.live("that is authentic and about nothing of ours is irrelevant", () =>
    withVendor(({ signed }) =>
      Effect.gen(function* () {
        const { callback } = yield* KycProvider
        const event = "identity.verification.completed"
        for (const body of [
          {},
          "junk",
          { event: "liveness.completed", data: { id: "1", status: "found" } },
          { event, data: {} },
          { event, data: { status: "found", metadata: { reference: "order-7" } } }
        ]) {
          assert.deepEqual(yield* callback(signed(body)), { _tag: "Irrelevant" })
        }
      })
    )
  )
})
