import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { PersonStore } from "@surety/core/person/PersonStore"
import { type DateTime, Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"

export const restrictionWins = law(
  "lets no merchant read a person who has been restricted since they were loaded, and uses up no grant",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { duration: "ONE_TIME" })
    const { grant } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
    const stale = yield* FreshConsent.readSnapshotOf(scope, consumer)
    yield* store.restrict("LIVE", consumer.serviceId, yield* Fresh.now)
    const { decision } = yield* ConsentAttempt.read(scope, consumer, { stale })
    assert.strictEqual(decision._tag, "Refuse")
    const { grants, reads } = yield* FreshConsent.traceOf(scope)
    assertEquals([...grants], [grant])
    assert.isEmpty(reads)
  })
)

export const restricts = law(
  "hides a restricted person's values from every merchant until the restriction is lifted, and stops new requests",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { consumer: neighbour } = yield* FreshConsent.parties()
    yield* ConsentAttempt.given(scope, consumer)
    yield* ConsentAttempt.given(scope, neighbour)
    const fields = yield* ConsentAttempt.readable(scope, consumer)
    assert.isDefined(fields)
    const at = yield* Fresh.now
    const restrict = (to: DateTime.Utc | undefined) =>
      Effect.map(store.restrict("LIVE", consumer.serviceId, to), (restricted) => {
        const { isNew, person } = Option.getOrThrow(restricted)
        return [person.restrictedAt, isNew]
      })
    assertEquals(yield* restrict(undefined), [undefined, false], "nothing is lifted")
    assertEquals(yield* restrict(at), [at, true])
    assertEquals(yield* restrict(Fresh.later(at, 5)), [at, false], "a restriction in force keeps its time")
    assert.isUndefined(yield* ConsentAttempt.readable(scope, consumer))
    assert.isDefined(yield* ConsentAttempt.readable(scope, neighbour), "others are read")
    assert.isTrue((yield* ConsentAttempt.look(scope, consumer)).isRestricted)
    assert.isNotTrue((yield* ConsentAttempt.look(scope, neighbour)).isRestricted)
    assertEquals(yield* store.restrict("TEST", consumer.serviceId, undefined), Option.none(), "another environment")
    assert.isUndefined(yield* ConsentAttempt.readable(scope, consumer))
    assertEquals(yield* restrict(undefined), [undefined, true])
    assertEquals(yield* restrict(undefined), [undefined, false])
    assert.deepStrictEqual(yield* ConsentAttempt.readable(scope, consumer), fields)
    assert.isNotTrue((yield* ConsentAttempt.look(scope, consumer)).isRestricted)
  })
)

export const restrictsOnce = law(
  "counts one of many that restrict a person at once as the one that did, and one of many that lift that",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const { consumer } = yield* FreshConsent.parties()
    for (const to of [yield* Fresh.now, undefined]) {
      const ends = yield* Effect.replicateEffect(store.restrict("LIVE", consumer.serviceId, to), 6, {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        ends.filter((end) => Option.getOrThrow(end).isNew),
        1
      )
    }
  })
)

export const laws = [restricts, restrictsOnce, restrictionWins]
