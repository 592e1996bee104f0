import { assert, describe, it } from "@effect/vitest"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as Mono from "@surety/kyc-mono/Mono"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { submissionOf } from "@surety/testing/kyc/KycProviderLaws"
import * as MonoVendor from "@surety/testing/kyc/vendor/MonoVendor"
import * as VendorCanaryLaws from "@surety/testing/kyc/vendor/VendorCanaryLaws"
import * as VendorKillLaws from "@surety/testing/kyc/vendor/VendorKillLaws"
import * as VendorScene from "@surety/testing/kyc/vendor/VendorScene"
import type { VendorReply } from "@surety/testing/kyc/vendor/VendorServer"
import { Effect, Layer, Option, Redacted, Result, type Schema, type Scope } from "effect"

const secretKey = Redacted.make(MonoVendor.secretKey)
const { numbers, rightCode } = MonoVendor

const layerOver = ({ server }: MonoVendor.MonoVendor): Layer.Layer<KycProvider> =>
  Layer.unwrap(Effect.map(server.listen, (url) => Mono.layer({ secretKey, url })))

const lawful = MonoVendor.make()
KycFixtureLaws.suite("Mono", layerOver(lawful), lawful.fixture)

const played = {
  make: () => MonoVendor.make().server,
  adapter: (url: string) => Mono.layer({ secretKey, url }),
  verified: { kind: "nin", id: numbers.nin },
  credentials: [MonoVendor.secretKey]
} as const
VendorKillLaws.suite("Mono", played)
VendorCanaryLaws.suite("Mono", played)

const withVendor = <A, E>(test: (vendor: MonoVendor.MonoVendor) => Effect.Effect<A, E, KycProvider>) =>
  Effect.suspend(() => {
    const vendor = MonoVendor.make()
    return Effect.scoped(Effect.provide(test(vendor), layerOver(vendor)))
  })

const said = (result: Result.Result<KycOutcome, { readonly _tag: string; readonly reason: string }>) =>
  Result.match(result, {
    onFailure: ({ _tag, reason }) => `${_tag} ${reason}`,
    onSuccess: (outcome) => ("reason" in outcome ? `${outcome._tag} ${outcome.reason}` : outcome._tag)
  })

const submit = Effect.fnUntraced(function* (kind: VerificationKind, id: string) {
  const provider = yield* KycProvider
  const submission = yield* submissionOf({ kind, id })
  const result = yield* Effect.result(provider.submit(submission))
  const providerReference = Result.isSuccess(result) ? result.success.providerReference : undefined
  const query = { reference: submission.reference, kind, providerReference }
  return {
    result,
    query,
    enter: (code: string) => Effect.result(provider.submitCode(query, Redacted.make(code)))
  }
})

const json = (status: number, body: Schema.Json): VendorReply => ({ status, body })
const failed = (status: number, message: string) => json(status, { status: "failed", message, data: null })
const successful = (data: Schema.Json) => json(200, { status: "successful", message: "ok", data })

describe("Mono's answers to a NIN", () => {
  const cases: ReadonlyArray<readonly [what: string, reply: VendorReply, expected: string]> = [
    ["a person", successful({ nin: numbers.nin, surname: "Obi" }), "Verified"],
    ["another number than the submitted one", successful({ nin: "10000000009", surname: "Obi" }), "Unrecognised"],
    ["no person", successful({ nin: numbers.nin }), "Unrecognised"],
    ["no data", successful(null), "KycOutcomeUnknown answer_not_understood"],
    [
      "a new word",
      json(200, { status: "success", data: { surname: "Obi" } }),
      "KycOutcomeUnknown answer_not_understood"
    ],
    ["not found, 404", failed(404, "NIN not found"), "Failed id_not_found"],
    ["not found, 400", failed(400, "No record was found"), "Failed id_not_found"],
    ["a path that it does not have", failed(404, "Cannot POST /v3/lookup/nin"), "Errored request_refused"],
    ["a bad format", failed(400, "nin must have 11 digits"), "Errored request_refused"],
    ["a 404 of something else", json(404, "<html>404</html>"), "KycOutcomeUnknown http_404"],
    ["a wrong key", failed(401, "Invalid secret key"), "KycNotSubmitted credentials_refused"],
    ["an empty wallet", failed(402, "Insufficient balance"), "KycNotSubmitted balance_empty"],
    ["no access", failed(403, "Forbidden"), "KycNotSubmitted access_refused"],
    ["too many requests", failed(429, "Too many requests"), "KycNotSubmitted rate_limited"],
    ["an error of the server", failed(500, "NIN not found"), "KycOutcomeUnknown http_500"],
    ["an upstream that is down", failed(503, "Unavailable"), "KycOutcomeUnknown http_503"]
  ]
  for (const [what, reply, expected] of cases) {
    it.live(`${what} is ${expected}`, () =>
      withVendor(({ server }) =>
        Effect.gen(function* () {
          yield* server.script({ reply, isDone: true })
          assert.strictEqual(said((yield* submit("nin", numbers.nin)).result), expected)
        })
      )
    )
  }

  it.live("are compared by us", () =>
    withVendor(() =>
      Effect.gen(function* () {
        const { result } = yield* submit("nin", numbers.nin)
        assert.deepInclude(Result.getOrThrow(result), {
          checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }
        })
      })
    )
  )

  it.live("without a person verify no one", () =>
    withVendor(() =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("nin", numbers.ninWithoutPerson)).result), "Unrecognised")
      })
    )
  )
})

describe("A BVN at Mono", () => {
  it.live("has its code sent to the holder's own phone, and is compared once the code is right", () =>
    withVendor(({ sent, server }) =>
      Effect.gen(function* () {
        const { enter, result } = yield* submit("bvn", numbers.bvn)
        const first = Result.getOrThrow(result)
        assert.deepStrictEqual(
          first._tag === "RequiresAction" && first.nextAction.type === "CODE" && first.nextAction.channels,
          ["phone"]
        )
        assert.deepStrictEqual(sent, ["phone"])
        assert.strictEqual(said(yield* enter("111111")), "RequiresAction")
        const done = Result.getOrThrow(yield* enter(rightCode))
        assert.deepInclude(done, {
          _tag: "Verified",
          checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }
        })
        assert.strictEqual(yield* server.charged, 1)
        assert.strictEqual(said(yield* enter(rightCode)), "KycNotSubmitted asked_elsewhere")
      })
    )
  )

  it.live("passes no code on in another process, which has nothing to compare with", () =>
    withVendor((vendor) =>
      Effect.gen(function* () {
        const { enter, query } = yield* submit("bvn", numbers.bvn)
        const elsewhere = Effect.flatMap(KycProvider, ({ submitCode }) => submitCode(query, Redacted.make(rightCode)))
        const before = vendor.server.received.length
        const refused = yield* Effect.result(Effect.provide(elsewhere, Layer.fresh(layerOver(vendor))))
        assert.strictEqual(said(refused), "KycNotSubmitted asked_elsewhere")
        assert.strictEqual(vendor.server.received.length, before)
        assert.strictEqual(said(yield* enter(rightCode)), "Verified")
      })
    )
  )

  it.live("leaves Mono's circuit closed, however many codes come to another process", () =>
    withVendor((vendor) =>
      Effect.gen(function* () {
        const { query } = yield* submit("bvn", numbers.bvn)
        const another = yield* Effect.flatMap(KycProvider, (provider) => guard(provider, defaultKycSettings)).pipe(
          Effect.provide(Layer.fresh(layerOver(vendor)))
        )
        const enter = Effect.result(another.submitCode(query, Redacted.make(rightCode)))
        for (let time = 0; time < 2 * defaultKycSettings.breaker.failures; time += 1) {
          assert.strictEqual(said(yield* enter), "KycNotSubmitted asked_elsewhere")
        }
      })
    )
  )

  it.live("goes to the e-mail address of a holder without a phone", () =>
    withVendor(({ sent }) =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("bvn", numbers.bvnByEmail)).result), "RequiresAction")
        assert.deepStrictEqual(sent, ["email"])
      })
    )
  )

  it.live("never sends a code to a number that someone chose", () =>
    withVendor(({ sent }) =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("bvn", numbers.bvnWithoutChannel)).result), "Errored code_not_sent")
        assert.deepStrictEqual(sent, [])
      })
    )
  )

  it.live("whose code is not sent ends, and is not begun again", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("bvn", numbers.bvnUnsent)).result), "Errored code_not_sent")
        assert.strictEqual(yield* server.charged, 1)
      })
    )
  )

  it.live("that does not exist is not found", () =>
    withVendor(() =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("bvn", numbers.unknown)).result), "Failed id_not_found")
      })
    )
  )

  const cases: ReadonlyArray<readonly [what: string, reply: VendorReply, expected: string]> = [
    ["a success in words of a failure", json(200, { status: "failed", message: "Invalid OTP" }), "RequiresAction"],
    ["401, which is not told from a refused key", failed(401, "Unauthorized"), "RequiresAction"],
    ["403", failed(403, "Forbidden"), "RequiresAction"],
    ["404, a session that is over", failed(404, "Session not found"), "RequiresAction"],
    ["402", failed(402, "Insufficient balance"), "KycNotSubmitted balance_empty"],
    ["429", failed(429, "Too many requests"), "KycNotSubmitted rate_limited"],
    ["500", failed(500, "Internal"), "KycOutcomeUnknown http_500"],
    ["no answer", "cut", "KycOutcomeUnknown connection_reset"],
    ["junk", json(200, "<html>"), "KycOutcomeUnknown answer_not_understood"],
    ["another BVN", successful({ bvn: "10000000009", first_name: "Ada" }), "Unrecognised"],
    ["no person", successful({ bvn: numbers.bvn, first_name: " " }), "Unrecognised"]
  ]
  for (const [what, reply, expected] of cases) {
    it.live(`whose code is answered with ${what} is ${expected}`, () =>
      withVendor(({ answerNextCode }) =>
        Effect.gen(function* () {
          const { enter } = yield* submit("bvn", numbers.bvn)
          answerNextCode(reply)
          assert.strictEqual(said(yield* enter(rightCode)), expected)
        })
      )
    )
  }
})

describe("A BVN at Mono, through core", () => {
  const scene = Effect.gen(function* () {
    const vendor = MonoVendor.make()
    const process = yield* VendorScene.start(Mono.layer({ secretKey, url: yield* vendor.server.listen }))
    const shop = yield* VendorScene.shop
    const { verification } = yield* VendorScene.submit(process, shop, "key", { kind: "bvn", id: numbers.bvn })
    const { id, status } = Option.getOrThrow(verification)
    assert.strictEqual(status, "REQUIRES_ACTION")
    const enter = (code: string) => process.verifications.submitCode(shop.scope, id, Redacted.make(code))
    const fetched = () => vendor.server.received.filter(({ path }) => path.endsWith("/details")).length
    return { vendor, enter, fetched }
  })
  const live = (
    name: string,
    body: Effect.Effect<void, unknown, Layer.Success<typeof VendorScene.world> | Scope.Scope>
  ) => it.live(name, () => Effect.provide(Effect.scoped(body), Layer.fresh(VendorScene.world)), 30_000)

  live(
    "is evidence by the holder's code, and begun once",
    Effect.gen(function* () {
      const { enter, vendor } = yield* scene
      assert.strictEqual((yield* enter("000001")).status, "REQUIRES_ACTION")
      assert.deepInclude(yield* enter(rightCode), { status: "VERIFIED", method: "HOLDER_CODE" })
      assert.strictEqual(yield* vendor.server.charged, 1)
    })
  )

  live(
    "gives a guesser three tries, for any answer of Mono's to a wrong code",
    Effect.gen(function* () {
      const { enter, fetched, vendor } = yield* scene
      for (const status of [401, 403, 404]) {
        vendor.answerNextCode(failed(status, "Unauthorized"))
        yield* enter("000001")
      }
      const [verification] = yield* VendorScene.ended
      assert.deepInclude(verification, { status: "FAILED", failureReason: "code_wrong" })
      assert.strictEqual(fetched(), 3)
    })
  )

  live(
    "ends, and is not fetched again, when the answer to its code is lost",
    Effect.gen(function* () {
      const { enter, fetched, vendor } = yield* scene
      vendor.answerNextCode("cut")
      yield* enter(rightCode)
      const [verification] = yield* VendorScene.ended
      assert.deepInclude(verification, { status: "ERROR", failureReason: "outcome_unknown" })
      assert.strictEqual(fetched(), 1)
    })
  )
})
