import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { KycProvider, type KycValidation } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as Kora from "@surety/kyc-kora/Kora"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { submissionOf } from "@surety/testing/kyc/KycProviderLaws"
import * as KoraVendor from "@surety/testing/kyc/vendor/KoraVendor"
import * as VendorCanaryLaws from "@surety/testing/kyc/vendor/VendorCanaryLaws"
import * as VendorKillLaws from "@surety/testing/kyc/vendor/VendorKillLaws"
import type { VendorReply, VendorServer } from "@surety/testing/kyc/vendor/VendorServer"
import { Effect, Layer, Option, Redacted, Result } from "effect"

const secretKey = Redacted.make(KoraVendor.secretKey)

const layerOver = (server: VendorServer, key = secretKey) =>
  Layer.unwrap(Effect.map(server.listen, (url) => Kora.layer({ secretKey: key, url })))

const lawful = KoraVendor.make()
KycFixtureLaws.suite("Kora", layerOver(lawful), KoraVendor.fixtureOf(lawful))

const played = {
  make: KoraVendor.make,
  adapter: (url: string) => Kora.layer({ secretKey, url }),
  verified: { kind: "bvn", id: KoraVendor.numbers.found },
  credentials: [KoraVendor.secretKey]
} as const
VendorKillLaws.suite("Kora", played)
VendorCanaryLaws.suite("Kora", played)

interface Asked {
  readonly kind?: VerificationKind
  readonly id?: string
  readonly validation?: KycValidation
  readonly answered?: { readonly reply: VendorReply; readonly isDone: boolean }
  readonly key?: Redacted.Redacted<string>
}

/**
 * Submits a number to a fresh fixture. Returns the outcome or error, the requests that the fixture received, and how
 * many of them it charged for.
 */
const submit = Effect.fnUntraced(function* (asked: Asked = {}) {
  const { answered, id = KoraVendor.numbers.found, key = secretKey, kind = "bvn", validation } = asked
  const server = KoraVendor.make()
  if (answered !== undefined) yield* server.script(answered)
  const submission = yield* submissionOf({ kind, id })
  const result = yield* Effect.flatMap(KycProvider, (provider) =>
    Effect.result(provider.submit({ ...submission, validation: validation ?? submission.validation }))
  ).pipe(Effect.provide(layerOver(server, key)))
  const said = Result.isSuccess(result) ? result.success : result.failure
  return { said, charged: yield* server.charged, received: server.received }
})

const person = (firstName: string, lastName: string, dateOfBirth: string): KycValidation => ({
  firstName: Redacted.make(firstName),
  lastName: Redacted.make(lastName),
  dateOfBirth: Redacted.make(dateOfBirth)
})

const data = {
  reference: "VR-1",
  id: KoraVendor.numbers.found,
  first_name: "Trevor",
  last_name: "Mandela",
  date_of_birth: "1989-07-08"
}
const answers = (body: VendorReply) => ({ reply: body, isDone: true })
const found = (more: object) => answers({ status: 200, body: { status: true, data: { ...data, ...more } } })

it.live("asks each kind on its path, with the person's consent and nothing that was not given", () =>
  Effect.gen(function* () {
    for (const [kind, path] of [
      ["bvn", "/identities/ng/bvn"],
      ["nin", "/identities/ng/nin"],
      ["vnin", "/identities/ng/vnin"],
      ["phone", "/identities/ng/phone"],
      ["nin_phone", "/identities/ng/nin-phone"]
    ] as const) {
      const { received } = yield* submit({ kind, validation: {} })
      assert.deepEqual(
        received.map(({ body, path }) => [path, body]),
        [[path, '{"id":"22222222222","verification_consent":true}']]
      )
    }
    const selfie = Redacted.make("data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ")
    const { received } = yield* submit({ validation: { lastName: Redacted.make("Obi"), selfie } })
    assert.strictEqual(
      received[0]?.body,
      '{"id":"22222222222","verification_consent":true,"validation":{"last_name":"Obi","selfie":"data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ"}}'
    )
  })
)

it.live("passes Kora's verdicts on", () =>
  Effect.gen(function* () {
    const { said } = yield* submit({ id: KoraVendor.numbers.otherPerson })
    assert.deepInclude(said, {
      _tag: "Verified",
      checks: { first_name: "NO_MATCH", last_name: "NO_MATCH", date_of_birth: "NO_MATCH", selfie: "NOT_CHECKED" }
    })
    const selfie = Redacted.make("/9j/4AAQSkZJRgABAQ")
    const matched = yield* submit({
      validation: { selfie },
      answered: found({ validation: { selfie: { match: true, value: "" } } })
    })
    assert.deepInclude(matched.said, {
      checks: { first_name: "NOT_CHECKED", last_name: "NOT_CHECKED", date_of_birth: "NOT_CHECKED", selfie: "MATCH" }
    })
  })
)

it.live("compares on its own if Kora gives no verdict, and never a selfie", () =>
  Effect.gen(function* () {
    const selfie = Redacted.make("/9j/4AAQSkZJRgABAQ")
    const { said } = yield* submit({
      validation: { ...person("trevor", "Nelson", "1989-01-01"), selfie },
      answered: found({ validation: null })
    })
    assert.deepInclude(said, {
      _tag: "Verified",
      checks: { first_name: "MATCH", last_name: "NO_MATCH", date_of_birth: "PARTIAL", selfie: "NOT_CHECKED" }
    })
    const verdict = yield* submit({
      validation: person("trevor", "Mandela", "1989-07-08"),
      answered: found({ validation: { first_name: { match: false }, last_name: null } })
    })
    assert.deepInclude(verdict.said, {
      checks: { first_name: "NO_MATCH", last_name: "MATCH", date_of_birth: "MATCH", selfie: "NOT_CHECKED" }
    })
  })
)

it.live("knows a number that does not exist from a path that does not", () =>
  Effect.gen(function* () {
    for (const message of ["NIN phone data not found", "Phone number data not found", "Virtual NIN data not found"]) {
      const reply = { status: 404, body: { status: false, message, data: {} } }
      const { said } = yield* submit({ answered: answers(reply) })
      assert.deepInclude(said, { _tag: "Failed", reason: "id_not_found" })
    }
    for (const body of [{ status: false, message: "Not found" }, { status: true, message: "data not found" }, ""]) {
      const { said } = yield* submit({ answered: answers({ status: 404, body }) })
      assert.deepInclude(said, { _tag: "KycOutcomeUnknown", reason: "http_404" })
    }
  })
)

it.live("tells a malformed number from a request that is wrong otherwise", () =>
  Effect.gen(function* () {
    const { charged, said } = yield* submit({ id: KoraVendor.numbers.malformed })
    assert.deepEqual(said, { _tag: "Failed", reason: "id_format", checks: {} })
    assert.strictEqual(charged, 0)
    const reply = {
      status: 400,
      body: { status: false, error: "bad_request", message: "", data: { "validation.date_of_birth": {} } }
    }
    const other = yield* submit({ answered: { reply, isDone: false } })
    assert.deepInclude(other.said, { _tag: "KycNotSubmitted", reason: "request_refused" })
  })
)

it.live("leaves Kora's circuit closed, however many requests are wrong", () =>
  Effect.gen(function* () {
    const server = KoraVendor.make()
    const provider = yield* Effect.flatMap(KycProvider, (kora) => guard(kora, defaultKycSettings)).pipe(
      Effect.provide(yield* Layer.build(layerOver(server)))
    )
    const body = { status: false, error: "bad_request", message: "", data: { "validation.date_of_birth": {} } }
    for (let time = 0; time < 2 * defaultKycSettings.breaker.failures; time += 1) {
      yield* server.script({ reply: { status: 400, body }, isDone: false })
      const submission = yield* submissionOf({ kind: "bvn", id: KoraVendor.numbers.found })
      assert.deepInclude(yield* Effect.flip(provider.submit(submission)), { reason: "request_refused" })
    }
  }).pipe(Effect.scoped)
)

it.live("says of each status whether anything was done", () =>
  Effect.gen(function* () {
    for (const [status, tag, reason] of [
      [401, "KycNotSubmitted", "credentials_refused"],
      [402, "KycNotSubmitted", "balance_empty"],
      [403, "KycNotSubmitted", "access_refused"],
      [429, "KycNotSubmitted", "rate_limited"],
      [400, "KycOutcomeUnknown", "http_400"],
      [422, "KycOutcomeUnknown", "http_422"],
      [409, "KycOutcomeUnknown", "http_409"],
      [500, "KycOutcomeUnknown", "http_500"],
      [503, "KycOutcomeUnknown", "http_503"],
      [302, "KycOutcomeUnknown", "http_302"],
      [201, "KycOutcomeUnknown", "answer_not_understood"]
    ] as const) {
      const body = { status: false, message: "22222222222", data: null }
      const { said } = yield* submit({ answered: { reply: { status, body }, isDone: false } })
      assert.deepInclude(said, { _tag: tag, reason }, String(status))
    }
    const wrongKey = yield* submit({ key: Redacted.make("sk_live_other") })
    assert.deepInclude(wrongKey.said, { _tag: "KycNotSubmitted", reason: "credentials_refused" })
    assert.strictEqual(wrongKey.charged, 0)
  })
)

it.live("verifies no one by an answer about another number, or without all that an answer has", () =>
  Effect.gen(function* () {
    const another = yield* submit({ answered: found({ id: "33333333333" }) })
    assert.deepEqual(another.said, { _tag: "Unrecognised", providerReference: "VR-1" })
    for (const reply of [
      { status: 200, body: { status: true, data: { ...data, reference: null } } },
      { status: 200, body: { status: true } },
      { status: 200, body: { status: false, message: "BVN verified successfully", data } },
      { status: 200, body: { status: "true", data } },
      { status: 200, body: { status: true, data: { ...data, validation: { first_name: { match: "true" } } } } },
      { status: 200, body: "[]" },
      { status: 200, body: "" }
    ]) {
      const { said } = yield* submit({ answered: answers(reply) })
      assert.deepInclude(said, { _tag: "KycOutcomeUnknown", reason: "answer_not_understood" })
    }
  })
)

it.live("believes no callback, even one that is signed as Kora signs: their form is not documented", () =>
  Effect.gen(function* () {
    const { callback } = yield* KycProvider
    const event = { event: "identity.verification.success", data: { reference: "VR-1", status: "found" } }
    const signature = createHmac("sha256", KoraVendor.secretKey).update(JSON.stringify(event.data)).digest("hex")
    const body = Redacted.make(new TextEncoder().encode(JSON.stringify(event)))
    for (const headers of [{ "x-korapay-signature": signature }, { "x-korapay-signature": "00".repeat(32) }, {}]) {
      assert.deepEqual(yield* callback({ body, headers }), { _tag: "NotAuthentic" })
    }
  }).pipe(Effect.provide(Kora.layer({ secretKey })))
)

it.live("says whether Kora accepts the key, without charge", () =>
  Effect.gen(function* () {
    const server = KoraVendor.make()
    const url = yield* server.listen
    assert.deepEqual(yield* Kora.acceptsCredentials({ secretKey, url }), Option.some(true))
    const other = Redacted.make("sk_other")
    assert.deepEqual(yield* Kora.acceptsCredentials({ secretKey: other, url }), Option.some(false))
    assert.strictEqual(yield* server.charged, 0)
    const gone = yield* Effect.scoped(KoraVendor.make().listen)
    assert.deepEqual(yield* Kora.acceptsCredentials({ secretKey, url: gone }), Option.none())
  }).pipe(Effect.scoped)
)
