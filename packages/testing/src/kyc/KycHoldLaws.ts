import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { VerificationId } from "@surety/core/Ids"
import { type HeldVerification, KycStore } from "@surety/core/kyc/KycStore"
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import { type Begun, claim, given, hold, longAgo, make, minute, progressOf, verifiedBy } from "./FreshVerification.js"

const idsOf = (held: ReadonlyArray<HeldVerification>): ReadonlyArray<VerificationId> =>
  held.map(({ verification }) => verification.id)

/** Gives the verification back, to be looked at so many minutes after it was made. */
const giveBack = Effect.fnUntraced(function* ({ held, madeAt }: Begun, dueAfter: number) {
  const store = yield* KycStore
  const dueAt = Fresh.later(madeAt, dueAfter * minute)
  const saved = yield* store.save(
    progressOf(held, { status: "PENDING", providerReference: Fresh.text("VR") }, { dueAt })
  )
  assert.isTrue(Option.isSome(saved))
  return dueAt
})

export const makerHolds = law(
  "keeps a new verification its maker's for the time of the plan; then exactly one of 20 gets it, with a higher fence",
  Effect.gen(function* () {
    const begun = yield* make()
    assertEquals(yield* hold(begun, 0.5), Option.none())
    assertEquals([...(yield* claim(begun, 0.5))], [])
    const claims = yield* Effect.replicateEffect(claim(begun, 1), 20, { concurrency: "unbounded" })
    const [next, ...more] = claims.flat()
    assert.isEmpty(more)
    assertEquals(next?.verification, begun.verification)
    assert.isAbove(next?.fence ?? 0, begun.held.fence)
    assert.strictEqual(next?.looks, 0)
  })
)

export const holdsOnce = law(
  "gives a verification that nobody holds to exactly one of 20 that want to hold it at once, due or not",
  Effect.gen(function* () {
    const begun = yield* make()
    const dueAt = yield* giveBack(begun, 60)
    const holds = yield* Effect.replicateEffect(hold(begun, 1), 20, { concurrency: "unbounded" })
    const [holder, ...more] = holds.flatMap(Option.toArray)
    assert.isEmpty(more)
    assertEquals(holder?.dueAt, dueAt)
    assertEquals(yield* hold(begun, 1.5), Option.none(), "until the hold ends by the caller's time")
    assert.isAbove(given(yield* hold(begun, 2)).fence, holder?.fence ?? 0)
  })
)

export const claimsWhatIsDue = law(
  "claims open verifications that are due and that nobody holds, the longest due first, no more than asked for",
  Effect.gen(function* () {
    const store = yield* KycStore
    const start = yield* longAgo
    const begin = (at: DateTime.Utc) => make({ at })
    const [first, second, third] = yield* Effect.all([
      begin(start),
      begin(Fresh.later(start, 1_000)),
      begin(Fresh.later(start, 2_000))
    ])
    yield* giveBack(first, 30)
    yield* giveBack(second, 20)
    yield* giveBack(third, 40)
    const ours = new Set([first, second, third].map(({ verification }) => verification.id))
    const due = (minutes: number, limit?: number) =>
      Effect.map(claim(first, minutes, "any", limit), (held) => idsOf(held).filter((id) => ours.has(id)))
    assertEquals(yield* due(19), [])
    assertEquals(yield* due(35), [second.verification.id, first.verification.id])
    assertEquals(yield* due(35.5), [], "they are held")
    const [again] = yield* claim(first, 36)
    assert.isTrue(Option.isSome(yield* store.save(verifiedBy(again ?? assert.fail("its hold has ended")))))
    assertEquals(yield* due(50, 1), [second.verification.id], "the longest due of two")
    assertEquals(yield* due(50), [third.verification.id])
  })
)

export const claimsOne = law(
  "claims one verification by its id, if it is due",
  Effect.gen(function* () {
    const begun = yield* make()
    const other = yield* make({ at: begun.madeAt })
    yield* giveBack(begun, 10)
    yield* giveBack(other, 5)
    assertEquals(idsOf(yield* claim(begun, 9)), [])
    assertEquals(idsOf(yield* claim(begun, 10)), [begun.verification.id])
    assertEquals(idsOf(yield* claim(other, 10)), [other.verification.id])
    assertEquals(idsOf(yield* claim(begun, 10, Fresh.verificationId(begun.madeAt))), [], "an unknown one")
  })
)

export const sharesWorkOut = law(
  "gives each of 30 due verifications to exactly one of 10 that claim at once",
  Effect.gen(function* () {
    const start = yield* longAgo
    const all = yield* Effect.replicateEffect(make({ at: start }), 30)
    const first = all[0] ?? assert.fail("there are 30")
    const claims = yield* Effect.replicateEffect(claim(first, 1, "any", 5), 10, { concurrency: "unbounded" })
    const rest = yield* claim(first, 1, "any", 1_000)
    const ours = new Set(idsOf(all.map(({ held }) => held)))
    const claimed = [...claims.flat(), ...rest].map(({ verification }) => verification.id).filter((id) => ours.has(id))
    assert.strictEqual(claimed.length, 30, "each once")
    assert.strictEqual(new Set(claimed).size, 30)
    for (const batch of claims) assert.isAtMost(batch.length, 5)
  })
)

export const seizes = law(
  "takes an open verification from whoever holds it when its provider has called, by either reference",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const { held, madeAt, scope, verification } = begun
    const until = Fresh.later(madeAt, 5 * minute)
    const byUs = { provider: "fake", reference: verification.id, providerReference: undefined }
    const seized = given(yield* store.seize(byUs, until))
    assert.isAbove(seized.fence, held.fence)
    assertEquals(yield* store.save(verifiedBy(held)), Option.none(), "the holder before has lost it")
    assertEquals(yield* hold(begun, 4), Option.none())
    const providerReference = Fresh.text("VR")
    yield* store.save(progressOf(seized, { status: "REQUIRES_ACTION", providerReference }, { dueAt: until }))
    const byThem = { provider: "fake", reference: undefined, providerReference }
    const again = given(yield* store.seize(byThem, until))
    assert.isAbove(again.fence, seized.fence)
    for (const called of [
      { ...byUs, provider: "another" },
      { ...byThem, provider: "another" },
      { ...byThem, providerReference: Fresh.text("VR") },
      { ...byUs, reference: Fresh.verificationId(madeAt) },
      { provider: "fake", reference: undefined, providerReference: undefined }
    ]) {
      assertEquals(yield* store.seize(called, until), Option.none())
    }
    assertEquals(yield* store.save(verifiedBy(again)).pipe(Effect.map(Option.isSome)), true)
    assertEquals(yield* store.seize(byUs, until), Option.none(), "what has ended is nobody's")
    const stored = Option.getOrThrow(yield* store.find(scope, verification.id))
    assert.strictEqual(stored.status, "VERIFIED")
  })
)

export const seizesNewest = law(
  "takes the newest open one of several verifications to which the provider has given one reference",
  Effect.gen(function* () {
    const store = yield* KycStore
    const oldest = yield* make()
    const middle = yield* make({ scope: oldest.scope, at: Fresh.later(oldest.madeAt, 10) })
    const newest = yield* make({ scope: oldest.scope, at: Fresh.later(oldest.madeAt, 20) })
    const providerReference = Fresh.text("VR")
    const until = Fresh.later(oldest.madeAt, 5 * minute)
    for (const { held } of [newest, oldest, middle]) {
      yield* store.save(progressOf(held, { status: "PENDING", providerReference }, { dueAt: until }))
    }
    const seize = store.seize({ provider: "fake", reference: undefined, providerReference }, until)
    for (const expected of [newest, middle]) {
      const seized = given(yield* seize)
      assert.strictEqual(seized.verification.id, expected.verification.id)
      const ended = verifiedBy(seized)
      const kept = { ...ended, verification: { ...ended.verification, providerReference } }
      assert.isTrue(Option.isSome(yield* store.save(kept)))
    }
    assertEquals(yield* hold(oldest, 1).pipe(Effect.map(Option.isSome)), true, "the others are left alone")
  })
)

export const laws = [makerHolds, holdsOnce, claimsWhatIsDue, claimsOne, sharesWorkOut, seizes, seizesNewest]
