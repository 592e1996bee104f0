import { assert, describe, it } from "@effect/vitest"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import { MemoryState } from "@surety/core/memory/MemoryState"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Fiber, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { keptIn, listen } from "./Canary.js"
import { key, recordOf, request, shop, start, world } from "./KycScene.js"

/** Values that must not be stored, logged, traced or returned: identity numbers, personal details and a code. */
const planted = {
  bvn: "90817263545",
  malformed: "90817263545-x",
  phone: "+2347019283746",
  firstName: "Canaryfirst",
  lastName: "Canarylast",
  dateOfBirth: "1911-07-23",
  selfie: `/9j/CANARYSELFIE${"A".repeat(1_000)}`,
  code: "c4n4ry-c0de"
}

const traces = [
  ...["90817263545", "7019283746", "Canaryfirst", "Canarylast", "1911-07-23", "CANARYSELFIE", "c4n4ry-c0de"],
  ...["canaryfirst", "canarylast"]
]

const replies: ReadonlyArray<FakeKycProvider.SubmissionReply> = [
  ...(["verified", "not_found", "later", "needs_code", "errored", "junk", "turned_away"] as const),
  ...(["answer_lost", "request_lost", "silent", "unheard", "throws", "throws", "turned_away"] as const)
]

const validation = {
  firstName: Redacted.make(planted.firstName),
  lastName: Redacted.make(planted.lastName),
  dateOfBirth: Redacted.make(planted.dateOfBirth),
  selfie: Redacted.make(planted.selfie)
}

const expectNothing = (where: string, text: string) => {
  for (const trace of traces) assert.isFalse(text.includes(trace), `${trace} in ${where}`)
}

describe("Number, names, birthday, selfie and code", () => {
  it.effect("are in no stored value, log line, span, error or answer, for any behaviour of the provider", () => {
    const ears = listen()
    return Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: replies, codes: ["silent", "turned_away"] })
      const process = yield* start(fake.layer)
      const { verifications } = process
      const live = yield* shop("LIVE")
      const test = yield* shop("TEST")
      const personal = { id: Redacted.make(planted.bvn), validation }
      const answers: Array<string> = []
      /** Runs the effect to completion, advancing the clock past the provider's timeout. */
      const heard = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
        const fiber = yield* Effect.forkChild(ears.note(effect))
        yield* TestClock.adjust("11 seconds")
        return yield* Fiber.join(fiber)
      })
      const submit = Effect.fnUntraced(function* (name: string, changes: Parameters<typeof request>[1]) {
        for (const { consumer, scope } of [live, test]) {
          const asked = request(consumer, { ...personal, ...changes })
          const answer = yield* heard(verifications.submit(scope, key(name), asked))
          if (Option.isSome(answer)) answers.push(answer.value.response)
        }
      })
      for (const [index] of replies.entries()) yield* submit(`reply-${index}`, {})
      yield* submit("phone", { kind: "phone", id: Redacted.make(planted.phone) })
      yield* submit("malformed", { id: Redacted.make(planted.malformed) })
      yield* submit("malformed", { id: Redacted.make(planted.bvn), tier: "key reused" })
      yield* submit("refused", { serviceId: test.consumer.serviceId })
      const invalid = parseVerification({ ...personal, kind: "bvn", verificationConsent: false })
      expectNothing("the faults", JSON.stringify(Result.getFailure(invalid)))
      assert.isTrue(Result.isFailure(invalid))
      for (const response of answers) {
        for (const { scope } of [live, test]) {
          const { reference } = recordOf({ response })
          yield* heard(verifications.submitCode(scope, reference, Redacted.make(planted.code)))
          yield* heard(verifications.get(scope, reference))
        }
      }
      yield* TestClock.adjust("10 minutes")
      yield* process.crash

      const state = yield* MemoryState
      assert.isAbove(state.verifications.size, replies.length, "there is something to look into")
      expectNothing("the stored verifications", keptIn([state.verifications, state.verificationsByKey]))
      expectNothing("the stored consumers", keptIn([state.consumers, state.events, state.deliveries]))
      expectNothing("the answers", answers.join("\n"))
      assert.include(ears.spanNames(), "Verifications.submit")
      assert.isAbove(ears.heard().length, 100, "there is something to listen to")
      assert.isTrue(ears.heard().some((text) => text.includes("KYC provider failed")))
      for (const text of ears.heard()) expectNothing(text.slice(0, 200), text)
      assert.isTrue(
        fake.asked.some(({ id }) => Redacted.value(id) === planted.bvn),
        "the provider did get the number"
      )
      assert.isTrue(
        fake.codes.some((code) => Redacted.value(code) === planted.code),
        "and the code"
      )
    }).pipe(Effect.provide(world), Effect.provide(ears.layer))
  })
})
