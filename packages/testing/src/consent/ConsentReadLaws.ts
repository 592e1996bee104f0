import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

export const snapshotsHistory = law(
  "decides a reading on all that there was between the merchant and the person, ended grants and old requests too",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const { grant } = yield* ConsentAttempt.given(scope, consumer, { fields: ["email"] })
    const before = (yield* ConsentAttempt.given(scope, consumer)).grant
    const { grant: ended } = yield* ConsentAttempt.revoked(before)
    const { request: waiting } = yield* ConsentAttempt.asked(scope, consumer)
    const pending = (yield* ConsentAttempt.asked(scope, consumer, { fields: ["kyc_status"] })).request
    const { request: denied } = yield* ConsentAttempt.decided(pending.id, ConsentAttempt.deny)
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      const theirs = stranger.environment === scope.environment ? consumer : yield* FreshConsent.person("TEST")
      yield* ConsentAttempt.given(stranger, theirs)
      yield* ConsentAttempt.asked(stranger, theirs, { purpose: "of their own" })
    }
    yield* ConsentAttempt.given(scope, yield* FreshConsent.person(scope.environment))
    const { snapshot } = yield* ConsentAttempt.read(scope, consumer)
    assert.strictEqual(snapshot.userId, consumer.userId)
    assert.sameDeepMembers([...snapshot.grants], [grant, ended])
    assert.sameDeepMembers([...snapshot.requests], [waiting, denied])
    const stranger = yield* ConsentAttempt.read(scope, yield* FreshConsumer.unstored(scope.environment))
    assertEquals(stranger.snapshot, { userId: undefined, grants: [], requests: [] })
  })
)

export const recordsReading = law(
  "records who read what with which key, of a reading that was allowed alone",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* ConsentAttempt.given(scope, consumer, { at: now, fields: ["email"], lifetimeMillis: 10_000 })
    const apiKeyId = Fresh.apiKeyId(now)
    const readings = [
      yield* ConsentAttempt.read(scope, consumer, { at: now, fields: ["country"] }),
      yield* ConsentAttempt.read(scope, consumer, { at: Fresh.later(now, 1), fields: ["email", "country"], apiKeyId })
    ]
    yield* ConsentAttempt.read(scope, consumer, { at: Fresh.later(now, 10_000) })
    const expected = readings.map(({ decision }) =>
      decision._tag === "Execute" ? decision.plan.read : assert.fail("the reading is allowed")
    )
    assert.strictEqual(expected[1]?.apiKeyId, apiKeyId)
    assertEquals([...(yield* FreshConsent.traceOf(scope)).reads], expected.reverse())
  })
)

export const revocationIsSeen = law(
  "shows a revocation to every reading that begins after it, while others read at the same time",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const grants = yield* Effect.forEach(["email", "country", "kyc_status", "display_name"], (field) =>
      Effect.map(ConsentAttempt.given(scope, consumer, { fields: [field] }), ({ grant }) => ({ field, grant }))
    )
    const others = Effect.replicateEffect(ConsentAttempt.readable(scope, consumer), 20, { concurrency: "unbounded" })
    const revocations = Effect.forEach(
      grants,
      ({ field, grant }) =>
        Effect.gen(function* () {
          yield* ConsentAttempt.revoked(grant)
          const fields: ReadonlyArray<string> = (yield* ConsentAttempt.readable(scope, consumer)) ?? []
          assert.notInclude(fields, field)
        }),
      { concurrency: "unbounded" }
    )
    yield* Effect.all([others, revocations], { concurrency: "unbounded" })
    assert.isUndefined(yield* ConsentAttempt.readable(scope, consumer), "nothing is left to read")
  })
)

export const laws = [snapshotsHistory, recordsReading, revocationIsSeen]
