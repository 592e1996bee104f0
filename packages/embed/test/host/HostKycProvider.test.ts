import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { NotSubmitted } from "@surety/embed"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Logger, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type HostKycProvider, providerOf, understood } from "../../src/host/HostKycProvider.js"
import { untyped } from "./misbehavingPart.js"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const submission = { reference, kind: "bvn", id: Redacted.make("22222222222"), validation: {} } as const
const query = { reference, kind: "bvn", providerReference: "p-1" } as const
const code = Redacted.make("135790")

const providing = (methods: Partial<HostKycProvider>) =>
  providerOf({
    name: "shop",
    submit: async () => ({ status: "PENDING", providerReference: "p-1" }),
    lookup: async () => undefined,
    ...methods
  })

/** Runs the call, and returns the logged consequence of the provider's failure. */
const consequenceOf = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown>) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => lines.push(String(message)))
  yield* Effect.exit(call).pipe(Effect.provide(Logger.layer([logger])))
  assert.lengthOf(lines, 1)
  return lines
    .join()
    .replace(/^The host's kyc failed; /u, "")
    .replace(/,.*$/u, "")
})

describe("The log of a host's KYC provider that fails", () => {
  it.effect("says what follows from the failure", () =>
    Effect.gen(function* () {
      const rejects = () => Promise.reject(new Error("socket hang up"))
      const declines = () => Promise.reject(new NotSubmitted("rate_limited"))
      const junk = untyped(async () => ({ status: "SURE" }))
      const unknown = "the verification's outcome is unknown"
      const unsent = "nothing was submitted"
      const refused = "the callback is refused with 401"
      const callback = FakeKycProvider.callbackOf(reference, "verified")
      for (const [call, consequence] of [
        [providing({ submit: rejects }).submit(submission), unknown],
        [providing({ submit: junk }).submit(submission), unknown],
        [providing({ submit: declines }).submit(submission), unsent],
        [providing({ lookup: rejects }).lookup(query), unknown],
        [providing({ lookup: declines }).lookup(query), unknown],
        [providing({ submitCode: rejects }).submitCode(query, code), unknown],
        [providing({ submitCode: declines }).submitCode(query, code), unsent],
        [providing({ callback: rejects }).callback(callback), refused],
        [providing({ callback: junk }).callback(callback), refused],
        [understood({ provider: "shop", operation: "providerCalled", given: [] }, {}), "the call changes nothing"]
      ] as const) {
        assert.strictEqual(yield* consequenceOf(call), consequence)
      }
    })
  )
})

describe("A host's NotSubmitted", () => {
  it.effect("says whether the provider refuses the request", () =>
    Effect.gen(function* () {
      const failureOf = (error: NotSubmitted) =>
        Effect.flip(providing({ submit: () => Promise.reject(error) }).submit(submission))
      const refused = yield* failureOf(new NotSubmitted("not_accepted", { isRefusal: true }))
      assert.deepInclude(refused, { _tag: "KycNotSubmitted", reason: "not_accepted", isRefusal: true })
      const busy = yield* failureOf(new NotSubmitted("rate_limited"))
      assert.deepInclude(busy, { _tag: "KycNotSubmitted", reason: "rate_limited" })
      assert.notProperty(busy, "isRefusal")
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

describe("A local answer of a host's KYC provider", () => {
  const { failures, openFor } = defaultKycSettings.breaker

  it.effect("is read like any other", () =>
    Effect.gen(function* () {
      const failed = { _tag: "Failed", reason: "id_format", checks: {} } as const
      const locally = { status: "FAILED", reason: "id_format", checks: {} } as const
      const provider = providing({
        submit: async () => ({ locally }),
        lookup: async () => ({ locally }),
        submitCode: async () => ({ locally })
      })
      assert.deepEqual(yield* provider.submit(submission), failed)
      assert.deepEqual(yield* provider.lookup(query), Option.some(failed))
      assert.deepEqual(yield* provider.submitCode(query, code), failed)
      const forgetful = providing({ lookup: async () => ({ locally: undefined }) })
      assert.deepEqual(yield* forgetful.lookup(query), Option.none())
      for (const junk of [{ locally, status: "PENDING", providerReference: "p-1" }, { locally: { locally } }, {}]) {
        const untold = providing({ submit: untyped(async () => junk) })
        assert.deepEqual(yield* untold.submit(submission), { _tag: "Unrecognised" })
      }
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("neither opens nor closes its circuit, whether it is an outcome or an error", () =>
    Effect.gen(function* () {
      const missing = () => Promise.reject(new NotSubmitted("asked_elsewhere", { isLocal: true }))
      const locals: ReadonlyArray<Partial<HostKycProvider>> = [
        { lookup: async () => ({ locally: undefined }), submitCode: missing },
        { lookup: missing },
        {}
      ]
      for (const methods of locals) {
        let calls = 0
        const turnsAway = () => {
          calls += 1
          return Promise.reject(new NotSubmitted("rate_limited"))
        }
        const provider = yield* guard(
          providing({ lookup: async () => ({ locally: undefined }), ...methods, submit: turnsAway }),
          defaultKycSettings
        )
        const local = Effect.andThen(
          Effect.ignore(provider.lookup(query)),
          Effect.ignore(provider.submitCode(query, code))
        )
        yield* Effect.replicateEffect(local, 2 * failures)
        for (let time = 0; time < failures; time += 1) {
          yield* Effect.ignore(provider.submit(submission))
          yield* local
        }
        assert.strictEqual(calls, failures)
        assert.strictEqual((yield* Effect.flip(provider.submit(submission))).reason, "circuit_open")
        yield* TestClock.adjust(openFor)
        yield* local
        assert.strictEqual((yield* Effect.flip(provider.submit(submission))).reason, "rate_limited")
        assert.strictEqual((yield* Effect.flip(provider.submit(submission))).reason, "circuit_open")
      }
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
