import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as QoreIdVendor from "@surety/testing/kyc/vendor/QoreIdVendor"
import { Effect, Result, type Schema } from "effect"
import { submit, withVendor } from "./fixture.js"

const { numbers } = QoreIdVendor

describe("QoreID's webhook", () => {
  it.live("ends what waited for a registry, by QoreID's id, and reads the same twice", () =>
    withVendor(({ webhook }) =>
      Effect.gen(function* () {
        const { provider, result } = yield* submit("nin", numbers.ninLater)
        const { _tag, providerReference = "" } = Result.getOrThrow(result)
        assert.strictEqual(_tag, "Pending")
        const called = yield* provider.callback(webhook(providerReference, "verified"))
        assert.deepInclude(called, { _tag: "Answered", about: { providerReference } })
        if (called._tag === "Answered") assert.strictEqual(called.outcome._tag, "Verified")
        assertEquals(yield* provider.callback(webhook(providerReference, "verified")), called)
        const mismatch = yield* provider.callback(webhook(providerReference, "id_mismatch"))
        assert.deepInclude(mismatch._tag === "Answered" ? mismatch.outcome : {}, { reason: "name_mismatch" })
      })
    )
  )

  it.live("that is authentic and about nothing of ours is irrelevant", () =>
    withVendor(({ signed }) =>
      Effect.gen(function* () {
        const { callback } = yield* KycProvider
        for (const body of [
          {},
          [],
          "junk",
          { event: "address", event_type: "verification_completed", data: { id: 1 } },
          { event: "identity", event_type: "verification_started", data: { id: 1 } },
          { event: "identity", event_type: "verification_completed", data: { id: 1 } }
        ]) {
          assert.deepEqual(yield* callback(signed(body)), { _tag: "Irrelevant" })
        }
      })
    )
  )

  it.live("without QoreID's comparison has the person compared with the values that QoreID says were submitted", () =>
    withVendor(({ signed }) =>
      Effect.gen(function* () {
        const { callback } = yield* KycProvider
        const status = { state: "complete", status: "verified" }
        const person = { firstname: "Ada", lastname: "Obi", birthdate: "12-03-1990" }
        const outcomeOf = Effect.fnUntraced(function* (data: Schema.JsonObject) {
          const called = yield* callback(
            signed({ event: "identity", event_type: "verification_completed", data: { id: 9, status, ...data } })
          )
          return called._tag === "Answered" ? called.outcome : undefined
        })
        const applicant = { firstname: "Ada", lastname: "Bello", dob: "1990-03-12" }
        for (const number of ["nin", "bvn"]) {
          const outcome = yield* outcomeOf({ applicant, summary: "verified", [number]: person })
          assert.deepInclude(outcome, {
            _tag: "Verified",
            checks: { first_name: "MATCH", last_name: "NO_MATCH", date_of_birth: "MATCH" }
          })
        }
        assert.deepInclude(yield* outcomeOf({ bvn: person }), { _tag: "Unrecognised" })
        assert.deepInclude(yield* outcomeOf({ applicant: { firstname: "Ada" }, bvn: person }), { _tag: "Unrecognised" })
      })
    )
  )

  it.live("with a new word is an outcome that is not understood", () =>
    withVendor(({ signed }) =>
      Effect.gen(function* () {
        const { callback } = yield* KycProvider
        const data = { id: 9, status: { state: "complete", status: "approved" } }
        const called = yield* callback(signed({ event: "identity", event_type: "verification_completed", data }))
        assert.deepEqual(called._tag === "Answered" ? called.outcome._tag : called._tag, "Unrecognised")
      })
    )
  )
})
