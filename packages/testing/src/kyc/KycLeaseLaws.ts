import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { VerificationId } from "@surety/core/Ids"
import { KycStore, type LeasedVerification } from "@surety/core/kyc/KycStore"
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import {
  type Begun,
  claim,
  given,
  leaseMinute,
  leaseVerification,
  longAgo,
  make,
  needsCode,
  progressOf,
  verifiedBy
} from "./FreshVerification.js"

const idsOf = (leased: ReadonlyArray<LeasedVerification>): ReadonlyArray<VerificationId> =>
  leased.map(({ verification }) => verification.id)

/**
 * Settles the verification as pending, due `dueAfter` minutes after its creation, and releases its lease. Returns the
 * due time.
 */
const giveBack = Effect.fnUntraced(function* ({ leased, madeAt }: Begun, dueAfter: number) {
  const store = yield* KycStore
  const dueAt = Fresh.later(madeAt, dueAfter * leaseMinute)
  const saved = yield* store.settle(
    progressOf(leased, { status: "PENDING", providerReference: Fresh.randomText("VR") }, { dueAt })
  )
  assert.isTrue(Option.isSome(saved))
  return dueAt
})

export const makerHolds = law(
  "keeps a new verification its maker's for the time of the plan; then exactly one of 20 gets it, with a higher fence",
  Effect.gen(function* () {
    const begun = yield* make()
    assertEquals(yield* leaseVerification(begun, 0.5), Option.none())
    assertEquals([...(yield* claim(begun, 0.5))], [])
    const claims = yield* Effect.replicateEffect(claim(begun, 1), 20, { concurrency: "unbounded" })
    const [next, ...more] = claims.flat()
    assert.isEmpty(more)
    assertEquals(next?.verification, begun.verification)
    assert.isAbove(next?.fence ?? 0, begun.leased.fence)
    assert.strictEqual(next?.looks, 0)
  })
)

export const holdsOnce = law(
  "leases a verification, due or not, to exactly one of 20 concurrent callers",
  Effect.gen(function* () {
    const begun = yield* make()
    const dueAt = yield* giveBack(begun, 60)
    const leases = yield* Effect.replicateEffect(leaseVerification(begun, 1), 20, { concurrency: "unbounded" })
    const [holder, ...more] = leases.flatMap(Option.toArray)
    assert.isEmpty(more)
    assertEquals(holder?.dueAt, dueAt)
    assertEquals(yield* leaseVerification(begun, 1.5), Option.none(), "until the lease ends by the caller's time")
    assert.isAbove(given(yield* leaseVerification(begun, 2)).fence, holder?.fence ?? 0)
  })
)

export const claimsWhatIsDue = law(
  "claims open verifications that are due and not leased, the longest due first, at most the limit",
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
      Effect.map(claim(first, minutes, "any", limit), (leased) => idsOf(leased).filter((id) => ours.has(id)))
    assertEquals(yield* due(19), [])
    assertEquals(yield* due(35), [second.verification.id, first.verification.id])
    assertEquals(yield* due(35.5), [], "they are leased")
    const [again] = yield* claim(first, 36)
    assert.isTrue(Option.isSome(yield* store.settle(verifiedBy(again ?? assert.fail("its lease has ended")))))
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
    const ours = new Set(idsOf(all.map(({ leased }) => leased)))
    const claimed = [...claims.flat(), ...rest].map(({ verification }) => verification.id).filter((id) => ours.has(id))
    assert.strictEqual(claimed.length, 30, "each once")
    assert.strictEqual(new Set(claimed).size, 30)
    for (const batch of claims) assert.isAtMost(batch.length, 5)
  })
)

export const leasesForCall = law(
  "leases an open verification that another worker has when its provider has called, by either reference",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const { leased, madeAt, scope, verification } = begun
    const until = Fresh.later(madeAt, 5 * leaseMinute)
    const byUs = { provider: "fake", reference: verification.id, providerReference: undefined }
    const taken = given(yield* store.leaseCalled(byUs, until))
    assert.isAbove(taken.fence, leased.fence)
    assertEquals(yield* store.settle(verifiedBy(leased)), Option.none(), "the earlier lease is lost")
    assertEquals(yield* leaseVerification(begun, 4), Option.none())
    const providerReference = Fresh.randomText("VR")
    yield* store.settle(progressOf(taken, { ...needsCode(taken), providerReference }, { dueAt: until }))
    const byThem = { provider: "fake", reference: undefined, providerReference }
    const again = given(yield* store.leaseCalled(byThem, until))
    assert.isAbove(again.fence, taken.fence)
    for (const called of [
      { ...byUs, provider: "another" },
      { ...byThem, provider: "another" },
      { ...byThem, providerReference: Fresh.randomText("VR") },
      { ...byUs, reference: Fresh.verificationId(madeAt) },
      { provider: "fake", reference: undefined, providerReference: undefined }
    ]) {
      assertEquals(yield* store.leaseCalled(called, until), Option.none())
    }
    assertEquals(yield* store.settle(verifiedBy(again)).pipe(Effect.map(Option.isSome)), true)
    assertEquals(yield* store.leaseCalled(byUs, until), Option.none(), "what has ended is not leased")
    const stored = Option.getOrThrow(yield* store.find(scope, verification.id))
    assert.strictEqual(stored.status, "VERIFIED")
  })
)

export const leasesForHint = law(
  "leases for a provider's hint only what no other worker has",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const { leased, madeAt, verification } = begun
    const hint = { provider: "fake", reference: verification.id, providerReference: undefined }
    const at = (minutes: number) => Fresh.later(madeAt, minutes * leaseMinute)
    assertEquals(yield* store.leaseCalled(hint, at(5), { leasedAt: at(0.5) }), Option.none(), "its maker has it")
    const kept = progressOf(leased, { status: "PENDING" }, { dueAt: at(60) })
    assert.isTrue(Option.isSome(yield* store.settle(kept)), "the lease was left alone")
    const taken = given(yield* store.leaseCalled(hint, at(5), { leasedAt: at(1) }))
    assert.isAbove(taken.fence, leased.fence)
    assertEquals(yield* store.leaseCalled(hint, at(9), { leasedAt: at(4) }), Option.none(), "a hint has it")
    assert.isTrue(Option.isSome(yield* store.leaseCalled(hint, at(9), { leasedAt: at(5) })), "that lease is over")
  })
)

export const leasesForRepeat = law(
  "leases for a repeated action only what no other worker has, unless the verification has another status",
  Effect.gen(function* () {
    const store = yield* KycStore
    const { leased, madeAt, verification } = yield* make()
    const call = { provider: "fake", reference: verification.id, providerReference: undefined }
    const at = (minutes: number) => Fresh.later(madeAt, minutes * leaseMinute)
    const spared = (minutes: number) => ({ leasedAt: at(minutes), status: "REQUIRES_ACTION" }) as const
    const first = given(yield* store.leaseCalled(call, at(5), spared(0.5)))
    assert.isAbove(first.fence, leased.fence, "its maker had it, but it awaited no one")
    const awaiting = progressOf(first, needsCode(first), { dueAt: at(60), leasedUntil: at(5) })
    assert.isTrue(Option.isSome(yield* store.settle(awaiting)))
    assertEquals(yield* store.leaseCalled(call, at(9), spared(4)), Option.none(), "the code's worker has it")
    assert.isTrue(Option.isSome(yield* store.settle(awaiting)), "the lease was left alone")
    const free = given(yield* store.leaseCalled(call, at(9), spared(5)))
    assert.isAbove(free.fence, first.fence, "that lease is over")
  })
)

export const reroutes = law(
  "records another provider under the lease, until a provider has confirmed the verification",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const { leased, madeAt, scope, verification } = begun
    const at = (minutes: number) => Fresh.later(madeAt, minutes * leaseMinute)
    assert.isTrue(yield* store.reroute(leased, "second", at(5)))
    const providerOf = Effect.map(store.find(scope, verification.id), (found) => Option.getOrThrow(found).provider)
    assert.strictEqual(yield* providerOf, "second")
    assertEquals(yield* leaseVerification(begun, 4), Option.none(), "the lease was renewed")
    const newer = given(yield* leaseVerification(begun, 5))
    assert.isFalse(yield* store.reroute(leased, "third", at(9)), "the lease was lost")
    const confirmed = { status: "PENDING", providerReference: Fresh.randomText("VR") } as const
    yield* store.settle(progressOf(newer, confirmed, { dueAt: at(6), leasedUntil: at(7) }))
    assert.isFalse(yield* store.reroute(newer, "third", at(9)), "it is with the second")
    assert.strictEqual(yield* providerOf, "second")
  })
)

export const leasesNewest = law(
  "takes the newest open one of several verifications to which the provider has given one reference",
  Effect.gen(function* () {
    const store = yield* KycStore
    const oldest = yield* make()
    const middle = yield* make({ scope: oldest.scope, at: Fresh.later(oldest.madeAt, 10) })
    const newest = yield* make({ scope: oldest.scope, at: Fresh.later(oldest.madeAt, 20) })
    const providerReference = Fresh.randomText("VR")
    const until = Fresh.later(oldest.madeAt, 5 * leaseMinute)
    for (const { leased } of [newest, oldest, middle]) {
      yield* store.settle(progressOf(leased, { status: "PENDING", providerReference }, { dueAt: until }))
    }
    const leaseCalled = store.leaseCalled({ provider: "fake", reference: undefined, providerReference }, until)
    for (const expected of [newest, middle]) {
      const leased = given(yield* leaseCalled)
      assert.strictEqual(leased.verification.id, expected.verification.id)
      const ended = verifiedBy(leased)
      const kept = { ...ended, verification: { ...ended.verification, providerReference } }
      assert.isTrue(Option.isSome(yield* store.settle(kept)))
    }
    assertEquals(yield* leaseVerification(oldest, 1).pipe(Effect.map(Option.isSome)), true, "the others are left alone")
  })
)

export const laws = [
  makerHolds,
  holdsOnce,
  claimsWhatIsDue,
  claimsOne,
  sharesWorkOut,
  leasesForCall,
  leasesForHint,
  leasesForRepeat,
  leasesNewest,
  reroutes
]
