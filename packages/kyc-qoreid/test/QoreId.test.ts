import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as QoreId from "@surety/kyc-qoreid/QoreId"
import * as Fresh from "@surety/testing/FreshIds"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { personal } from "@surety/testing/kyc/KycProviderLaws"
import * as QoreIdVendor from "@surety/testing/kyc/vendor/QoreIdVendor"
import * as VendorCanaryLaws from "@surety/testing/kyc/vendor/VendorCanaryLaws"
import * as VendorKillLaws from "@surety/testing/kyc/vendor/VendorKillLaws"
import type { VendorReply } from "@surety/testing/kyc/vendor/VendorServer"
import { Duration, Effect, Option, Redacted, Result, type Schema } from "effect"
import { error, layerOver, redacted, said, settingsFor, submit, withVendor } from "./fixture.js"

const lawful = QoreIdVendor.make()
KycFixtureLaws.suite("QoreID", layerOver(lawful), lawful.fixture)

const played = {
  make: () => QoreIdVendor.make().server,
  adapter: (url: string) => QoreId.layer(settingsFor(url)),
  verified: { kind: "nin", id: QoreIdVendor.numbers.nin },
  credentials: [...Object.values(QoreIdVendor.credentials), "token-canary"]
} as const
VendorKillLaws.suite("QoreID", played)
VendorCanaryLaws.suite("QoreID", played)

const { numbers } = QoreIdVendor

const answeredWith = (reply: VendorReply) =>
  withVendor(({ server }) =>
    Effect.gen(function* () {
      yield* server.script({ reply, isDone: true })
      return said((yield* submit("nin", numbers.nin)).result)
    })
  )

const frame = (change: Readonly<Record<string, Schema.Json>>): VendorReply => ({
  status: 200,
  body: { id: 7, status: { state: "complete", status: "verified" }, ...change }
})

describe("QoreID's answers", () => {
  const cases: ReadonlyArray<readonly [what: string, reply: VendorReply, expected: string]> = [
    ["verified with a person", frame({ nin: { nin: numbers.nin } }), "Verified"],
    ["verified with a summary in words", frame({ summary: "verified" }), "Verified"],
    ["another number than the submitted one", frame({ nin: { nin: "10000000009" } }), "Unrecognised"],
    ["a summary in other words", frame({ summary: "matched" }), "Unrecognised"],
    ["an unknown comparison", frame({ summary: { nin_check: { status: "NEAR_MATCH" } } }), "Unrecognised"],
    ["two comparisons", frame({ summary: { nin_check: { status: "EXACT_MATCH" }, face_check: {} } }), "Unrecognised"],
    ["an unknown state", frame({ status: { state: "archived", status: "verified" } }), "Unrecognised"],
    ["an unknown status", frame({ status: { state: "complete", status: "approved" } }), "Unrecognised"],
    ["a waiting state", frame({ status: { state: "in_progress", status: "verified" } }), "Pending"],
    [
      "no id",
      { status: 200, body: { status: { state: "complete", status: "verified" } } },
      "KycOutcomeUnknown answer_not_understood"
    ],
    ["not found", error(404, "NIN not found"), "Failed id_not_found"],
    ["a path that it does not have", error(404, "Cannot POST /v1/ng/identities/nin/x"), "KycOutcomeUnknown http_404"],
    ["a 404 of something else", { status: 404, body: "<html>404</html>" }, "KycOutcomeUnknown http_404"],
    ["a bad format", error(400, ["nin must be 11 characters"]), "Errored request_refused"],
    ["a 400 of something else", { status: 400, body: { error: "bad gateway" } }, "KycOutcomeUnknown http_400"],
    ["an empty wallet", error(402, "Insufficient balance"), "KycNotSubmitted balance_empty"],
    ["a product that is not activated", error(403, "Forbidden"), "KycNotSubmitted access_refused"],
    ["too many requests", error(429, "Too many requests"), "KycNotSubmitted rate_limited"],
    ["an error of the server", error(500, "Internal"), "KycOutcomeUnknown http_500"],
    ["an upstream that is down", error(503, "Unavailable"), "KycOutcomeUnknown http_503"],
    [
      "a redirect",
      { status: 302, body: "", headers: { location: "https://elsewhere.example/" } },
      "KycOutcomeUnknown http_302"
    ]
  ]
  for (const [what, reply, expected] of cases) {
    it.live(`${what} is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* answeredWith(reply), expected)
      })
    )
  }

  it.live("a connection that was never made is KycNotSubmitted", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(QoreIdVendor.make().server.listen)
      const { result } = yield* Effect.provide(submit("nin", numbers.nin), QoreId.layer(settingsFor(closed)))
      assert.strictEqual(said(result), "KycNotSubmitted connection_refused")
    })
  )
})

describe("QoreID's comparisons", () => {
  const checksOf = (sent: Parameters<typeof submit>[2], reply: VendorReply) =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        yield* server.script({ reply, isDone: true })
        const { result } = yield* submit("nin", numbers.nin, sent)
        assert.isTrue(Result.isSuccess(result) && "checks" in result.success)
        return Result.isSuccess(result) && "checks" in result.success ? result.success.checks : {}
      })
    )

  it.live("count only for what was sent: an absent field is false at QoreID", () =>
    Effect.gen(function* () {
      const fieldMatches = { firstname: true, lastname: false, dob: false }
      const reply = frame({ summary: { nin_check: { status: "PARTIAL_MATCH", fieldMatches } } })
      const checks = yield* checksOf({ firstName: "A", lastName: "B" }, reply)
      assert.deepInclude(checks, { first_name: "MATCH", last_name: "NO_MATCH", date_of_birth: "NOT_CHECKED" })
    })
  )

  it.live("are partial for swapped names", () =>
    Effect.gen(function* () {
      const fieldMatches = { firstname: false, lastname: false, dob: true }
      const reply = frame({ summary: { nin_check: { status: "TRANSPOSED_MATCH", fieldMatches } } })
      const checks = yield* checksOf(personal, reply)
      assert.deepInclude(checks, { first_name: "PARTIAL", last_name: "PARTIAL", date_of_birth: "MATCH" })
    })
  )

  it.live("are made by us if QoreID made none", () =>
    Effect.gen(function* () {
      const checks = yield* checksOf(
        personal,
        frame({ summary: null, nin: { nin: numbers.nin, ...QoreIdVendor.person } })
      )
      assert.deepInclude(checks, { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" })
    })
  )

  it.live("fail a number of someone else's", () =>
    withVendor(() =>
      Effect.gen(function* () {
        const { result } = yield* submit("nin", numbers.ninOfAnother)
        assert.strictEqual(said(result), "Failed name_mismatch")
      })
    )
  )

  it.live("need both names, and cost nothing without", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        for (const sent of [{}, { firstName: "A" }, { lastName: "B" }]) {
          assert.strictEqual(said((yield* submit("nin", numbers.nin, sent)).result), "Errored names_required")
        }
        assert.strictEqual(server.received.length, 0)
      })
    )
  )
})

describe("QoreID's circuit", () => {
  it.live("stays open while only results from memory come, and opens in spite of them", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        const openFor = Duration.millis(500)
        const settings = { ...defaultKycSettings, breaker: { failures: 2, openFor } }
        const provider = yield* Effect.flatMap(KycProvider, (qoreId) => guard(qoreId, settings))
        const newest = Effect.map(Fresh.now, Fresh.verificationId)
        const bySubmit = Effect.gen(function* () {
          const submission = { reference: yield* newest, kind: "nin", id: Redacted.make(numbers.nin) } as const
          return said(yield* Effect.result(provider.submit({ ...submission, validation: {} })))
        })
        const byLookup = Effect.gen(function* () {
          const reference = yield* newest
          assertEquals(yield* provider.lookup({ reference, kind: "nin", providerReference: "7" }), Option.none())
        })
        const failing = Effect.gen(function* () {
          yield* server.script({ reply: error(500, "Internal"), isDone: false })
          const submission = { reference: yield* newest, kind: "nin", id: Redacted.make(numbers.nin) } as const
          const validation = redacted(personal)
          return said(yield* Effect.result(provider.submit({ ...submission, validation })))
        })
        assert.strictEqual(yield* failing, "KycOutcomeUnknown http_500")
        assert.strictEqual(yield* bySubmit, "Errored names_required")
        yield* byLookup
        assert.strictEqual(yield* failing, "KycOutcomeUnknown http_500")
        assert.strictEqual(yield* bySubmit, "KycNotSubmitted circuit_open")
        yield* Effect.sleep(openFor)
        assert.strictEqual(yield* bySubmit, "Errored names_required", "it may be tried now")
        yield* byLookup
        assert.strictEqual(yield* failing, "KycOutcomeUnknown http_500")
        assert.strictEqual(yield* bySubmit, "KycNotSubmitted circuit_open", "one failure has opened it again")
      })
    )
  )
})

describe("QoreID's kinds", () => {
  for (const [kind, id] of [
    ["vnin", numbers.vnin],
    ["nin_phone", numbers.ninPhone]
  ] as const) {
    it.live(`${kind} is verified`, () =>
      withVendor(() =>
        Effect.gen(function* () {
          assert.strictEqual(said((yield* submit(kind, id)).result), "Verified")
        })
      )
    )
  }
})

describe("QoreID's token", () => {
  it.live("is asked for once, and again when it is refused", () =>
    withVendor(({ expireTokens, server }) =>
      Effect.gen(function* () {
        yield* Effect.forEach([1, 2, 3], () => submit("nin", numbers.nin), { concurrency: "unbounded" })
        const asked = () => server.received.filter(({ path }) => path === "/token").length
        assert.strictEqual(asked(), 1)
        yield* expireTokens
        const before = yield* server.charged
        assert.strictEqual(said((yield* submit("nin", numbers.nin)).result), "Verified")
        assert.strictEqual(asked(), 2)
        assert.strictEqual((yield* server.charged) - before, 1)
      })
    )
  )

  it.live("that is not given is KycNotSubmitted", () =>
    Effect.gen(function* () {
      const { server } = QoreIdVendor.make()
      const url = yield* server.listen
      const settings = { ...settingsFor(url), secret: Redacted.make("wrong") }
      const { result } = yield* Effect.provide(submit("nin", numbers.nin), QoreId.layer(settings))
      assert.strictEqual(said(result), "KycNotSubmitted credentials_refused")
      assert.strictEqual(yield* server.charged, 0)
    }).pipe(Effect.scoped)
  )
})

describe("QoreID's credentials", () => {
  const accepted = (change: Partial<QoreId.QoreIdSettings>) =>
    Effect.scoped(
      Effect.flatMap(QoreIdVendor.make().server.listen, (url) =>
        QoreId.acceptsCredentials({ ...settingsFor(url), ...change })
      )
    )

  it.live("are accepted, refused, or not told", () =>
    Effect.gen(function* () {
      assertEquals(yield* accepted({}), Option.some(true))
      assertEquals(yield* accepted({ clientId: "OTHER" }), Option.some(false))
      const closed = yield* Effect.scoped(QoreIdVendor.make().server.listen)
      assertEquals(yield* accepted({ url: closed }), Option.none())
    })
  )
})
