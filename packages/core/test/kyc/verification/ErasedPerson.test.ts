import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { LinkedUserNotFound } from "@surety/core/kyc/KycError"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { key, request, shop, start, world } from "../KycScene.js"

describe("A verification whose person is erased while the provider is asked", () => {
  const cases = [
    { reply: "silent", isWaiting: true },
    { reply: "turned_away", isWaiting: true },
    { reply: "answer_lost", isWaiting: false },
    { reply: "later", isWaiting: false }
  ] as const
  for (const { isWaiting, reply } of cases) {
    it.effect(`ends once, and what the provider does (${reply}) is stored nowhere`, () =>
      Effect.gen(function* () {
        const fake = FakeKycProvider.make({ submissions: [reply] })
        const process = yield* start(fake.layer)
        const { consumer, scope } = yield* shop("LIVE")
        const waiting = yield* Effect.forkChild(process.verifications.submit(scope, key("s"), request(consumer)))
        yield* fake.firstAsked
        const { pseudonym } = yield* ErasureAttempt.erased(consumer)
        yield* TestClock.adjust("1 hour")
        if (isWaiting) {
          const refused = yield* Effect.flip(Fiber.join(waiting))
          assert.deepInclude(refused, { _tag: "VerificationRefused", reason: new LinkedUserNotFound() })
        } else yield* Fiber.interrupt(waiting)
        const log = yield* EventLog
        const { data: told } = yield* log.list(scope, { limit: 10, cursor: undefined }, "kyc.verification.completed")
        assert.lengthOf(told, 1)
        assert.deepInclude(JSON.parse(told[0]?.body ?? ""), {
          status: "ERROR",
          failureReason: "person_erased",
          userId: pseudonym
        })
        const verifications = yield* VerificationLog
        const { data } = yield* verifications.listAll(scope, { limit: 10, cursor: undefined })
        assert.deepStrictEqual(
          data.map(({ failureReason, status }) => [status, failureReason]),
          [["ERROR", "person_erased"]]
        )
        assert.lengthOf(fake.asked, 1, "no provider is asked again")
      }).pipe(Effect.provide(world))
    )
  }
})
