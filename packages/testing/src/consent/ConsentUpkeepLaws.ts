import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep, type NotificationClaim } from "@surety/core/consent/ConsentUpkeep"
import type { Environment } from "@surety/core/Environment"
import { type DateTime, Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import type { ConsentStorePorts as StorePorts } from "./ConsentStoreLaws.js"
import * as FreshConsent from "./FreshConsent.js"
import * as PastConsents from "./PastConsents.js"

export type ConsentUpkeepPorts = StorePorts | ConsentUpkeep

const minute = 60_000

/**
 * Creates a merchant and a person. A finalizer ends the merchant's requests and grants. `asOf` adds minutes to a start
 * in the past.
 */
const partiesLongAgo = Effect.fnUntraced(function* (environment: Environment = "LIVE") {
  const start = yield* Fresh.longAgo
  const { consumer, scope } = yield* FreshConsent.parties(environment)
  const asOf = (minutes: number): DateTime.Utc => Fresh.later(start, minutes * minute)
  yield* PastConsents.removedAtEnd(scope, asOf(60))
  return { consumer, scope, asOf }
})

const claimedAt = Effect.fnUntraced(function* (now: DateTime.Utc, claim: Partial<NotificationClaim> = {}) {
  const upkeep = yield* ConsentUpkeep
  const due = yield* upkeep.claimNotifications({ now, againAt: Fresh.later(now, minute), limit: 100, ...claim })
  return due.map(({ request }) => request.id)
})

export const findsLapsed = law(
  "finds the pending requests and the active grants whose time is up, the longest due first, to the millisecond",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const at = asOf(0)
    const requests = yield* Effect.forEach([3, 1, 2, 1.5], (minutes) =>
      Effect.map(
        ConsentAttempt.askedAnew(scope, consumer, { at, lifetimeMillis: minutes * minute }),
        ({ request }) => request.id
      )
    )
    const grants = yield* Effect.forEach([3, 1, 2, 1.5], (minutes) =>
      Effect.map(
        ConsentAttempt.given(scope, consumer, { at, lifetimeMillis: minutes * minute, purpose: "another" }),
        ({ grant }) => grant
      )
    )
    const [r3, r1, r2, gone] = requests
    const [g3, g1, g2, ended] = grants
    if (!r3 || !r1 || !r2 || !gone || !g3 || !g1 || !g2 || !ended) return assert.fail("there are four of each")
    yield* ConsentAttempt.decided(gone, ConsentAttempt.cancel, { at })
    yield* ConsentAttempt.revoked(ended, { at })
    const lapsed = (now: DateTime.Utc, limit: number) =>
      Effect.map(upkeep.lapsed(now, limit), (found) => ({ requests: [...found.requests], grants: [...found.grants] }))
    assertEquals(yield* lapsed(Fresh.later(asOf(1), -1), 10), { requests: [], grants: [] })
    assertEquals(yield* lapsed(asOf(1), 10), { requests: [r1], grants: [g1.id] })
    assertEquals(yield* lapsed(asOf(3), 2), { requests: [r1, r2], grants: [g1.id, g2.id] })
    assertEquals(yield* lapsed(asOf(3), 10), { requests: [r1, r2, r3], grants: [g1.id, g2.id, g3.id] })
    yield* ConsentAttempt.decided(r1, ConsentAttempt.expire, { at: asOf(3) })
    yield* ConsentAttempt.end(g1.id, { _tag: "Expire" }, { at: asOf(3) })
    assertEquals(yield* lapsed(asOf(3), 10), { requests: [r2, r3], grants: [g2.id, g3.id] })
  })
)

export const claimsNotifications = law(
  "gives a notice that is due to its sender until it is due again, the longest due first, and none once it was sent",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const [second, first] = yield* Effect.forEach([2, 1], (minutes) =>
      ConsentAttempt.askedAnew(scope, consumer, { at: asOf(minutes) })
    )
    if (!first || !second) return assert.fail("there are two")
    const [a, b] = [first.request.id, second.request.id]
    assert.deepStrictEqual(yield* claimedAt(Fresh.later(asOf(1), -1)), [])
    assert.deepStrictEqual(yield* claimedAt(asOf(3), { limit: 1 }), [a])
    assert.deepStrictEqual(yield* claimedAt(asOf(3)), [b])
    assert.deepStrictEqual(yield* claimedAt(Fresh.later(asOf(4), -1)), [])
    assert.sameMembers(yield* claimedAt(asOf(4)), [a, b], "a sender that died gives it back")
    yield* upkeep.recordNotified(a)
    yield* upkeep.recordNotified(a)
    assert.deepStrictEqual(yield* claimedAt(asOf(5)), [b])
    assert.deepStrictEqual(yield* claimedAt(asOf(6), { id: a }), [])
    assert.deepStrictEqual(yield* claimedAt(asOf(6), { id: b }), [b])
    const [due] = yield* Effect.gen(function* () {
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: asOf(7) })
      return yield* upkeep.claimNotifications({ now: asOf(7), againAt: asOf(8), limit: 1, id: request.id })
    })
    assert.strictEqual(due?.controller.merchantId, scope.merchantId)
    assert.isDefined(due?.sealedUrl)
  })
)

export const noticesTellWhoMayAsk = law(
  "tells with a notice the block in force between its merchant and person",
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const upkeep = yield* ConsentUpkeep
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: asOf(0) })
    const blockedAs = (minutes: number) =>
      Effect.map(
        upkeep.claimNotifications({ now: asOf(minutes), againAt: asOf(minutes + 1), limit: 1, id: request.id }),
        ([due]) => due?.blockedAs ?? due?.merchantStatus
      )
    yield* store.block(blockOf(request, "STOP_ASKING", asOf(0)))
    assert.strictEqual(yield* blockedAs(0), "STOP_ASKING")
    assert.isDefined(yield* store.liftBlock(scope, consumer.userId, asOf(1)))
    assert.strictEqual(yield* blockedAs(1), "ACTIVE")
  })
)

export const putsNotificationsOff = law(
  "makes a notice due when it is put off to or is to remind, but none of a request that none is due of any more",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const [first, second] = yield* Effect.replicateEffect(ConsentAttempt.askedAnew(scope, consumer, { at: asOf(0) }), 2)
    if (!first || !second) return assert.fail("there are two")
    const [a, b] = [first.request.id, second.request.id]
    assert.sameMembers(yield* claimedAt(asOf(0)), [a, b])
    yield* upkeep.putOffNotification(a, asOf(5))
    yield* upkeep.recordNotified(b, asOf(10))
    assert.deepStrictEqual(yield* claimedAt(asOf(4)), [])
    assert.deepStrictEqual(yield* claimedAt(asOf(5)), [a])
    yield* upkeep.recordNotified(a)
    assert.deepStrictEqual(yield* claimedAt(asOf(10)), [b])
    yield* ConsentAttempt.decided(b, ConsentAttempt.deny, { at: asOf(10) })
    for (const id of [a, b]) {
      yield* upkeep.recordNotified(id, asOf(11))
      yield* upkeep.putOffNotification(id, asOf(11))
    }
    assert.deepStrictEqual(yield* claimedAt(asOf(12)), [])
  })
)

export const claimsOnlyPending = law(
  "gives no notice of a request of TEST, nor of one that is decided or has expired",
  Effect.gen(function* () {
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const test = yield* partiesLongAgo("TEST")
    const at = asOf(0)
    yield* ConsentAttempt.askedAnew(test.scope, test.consumer, { at })
    const { request: denied } = yield* ConsentAttempt.askedAnew(scope, consumer, { at })
    yield* ConsentAttempt.askedAnew(scope, consumer, { at, lifetimeMillis: minute })
    yield* ConsentAttempt.decided(denied.id, ConsentAttempt.deny, { at })
    assert.lengthOf(yield* claimedAt(Fresh.later(asOf(1), -1), { againAt: at }), 1)
    assert.deepStrictEqual(yield* claimedAt(asOf(1)), [])
  })
)

export const oneSenderEach = law(
  "gives each notice to exactly one of 20 senders at once",
  Effect.gen(function* () {
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const plans = yield* Effect.replicateEffect(ConsentAttempt.askedAnew(scope, consumer, { at: asOf(0) }), 5)
    const claims = yield* Effect.replicateEffect(claimedAt(asOf(0)), 20, { concurrency: "unbounded" })
    assert.sameMembers(
      claims.flat(),
      plans.map(({ request }) => request.id)
    )
  })
)

export const forgetsAnswers = law(
  "forgets the keys, answers and links of old requests that are decided, the oldest first; the requests stay",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const log = yield* ConsentLog
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const [old, middle, waiting, young] = yield* Effect.forEach([0, 1, 1.5, 3], (minutes) => {
      const key = Fresh.idempotencyKey()
      return Effect.map(ConsentAttempt.askedAnew(scope, consumer, { at: asOf(minutes), key }), (plan) => ({
        ...plan,
        key
      }))
    })
    if (!old || !middle || !waiting || !young) return assert.fail("there are four")
    const [, , denied] = yield* Effect.forEach([young, middle, old], ({ request }) =>
      ConsentAttempt.decided(request.id, ConsentAttempt.deny, { at: asOf(4) })
    )
    const hasKey = ({ key }: { readonly key: typeof old.key }) =>
      Effect.map(ConsentAttempt.look(scope, consumer, key), ({ prior }) => prior !== undefined)
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(0), 10), 0, "what was made at that moment is kept")
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(3), 1), 1)
    assert.deepStrictEqual([yield* hasKey(old), yield* hasKey(middle)], [false, true])
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(3), 10), 1)
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(3), 10), 0)
    const kept = yield* Effect.forEach([old, middle, waiting, young], hasKey)
    assert.deepStrictEqual(kept, [false, false, true, true])
    assertEquals(yield* log.findByToken(old.link?.tokenHash ?? assert.fail("it has a link")), Option.none())
    assertEquals(yield* log.findRequest({ id: old.request.id, scope }), Option.fromUndefinedOr(denied?.request))
    const again = yield* ConsentAttempt.ask(scope, consumer, { key: old.key, fields: ["kyc_status"], at: asOf(5) })
    assert.strictEqual(again._tag, "Execute", "the key is free")
  })
)

export const keepsLaterKeys = law(
  "keeps a key that found its question open as long as the key that asked it",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const { asOf, consumer, scope } = yield* partiesLongAgo()
    const key = Fresh.idempotencyKey()
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { at: asOf(0) })
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer, { at: asOf(2), key }))._tag, "Repeat")
    yield* ConsentAttempt.decided(request.id, ConsentAttempt.deny, { at: asOf(3) })
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(2), 10), 0)
    assert.isDefined((yield* ConsentAttempt.look(scope, consumer, key)).prior)
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(2.5), 10), 1)
    assert.isUndefined((yield* ConsentAttempt.look(scope, consumer, key)).prior)
  })
)

export const worksForAll = law(
  "finds what has lapsed, what to notify and what to forget, of every merchant, in TEST and LIVE",
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const { asOf, ...first } = yield* partiesLongAgo("LIVE")
    const all = [first, yield* partiesLongAgo("LIVE"), yield* partiesLongAgo("TEST")]
    const ask = ({ consumer, scope }: (typeof all)[number]) =>
      Effect.map(
        ConsentAttempt.askedAnew(scope, consumer, { at: asOf(0), lifetimeMillis: minute }),
        ({ request }) => request
      )
    const requests = yield* Effect.forEach(all, ask)
    const grants = yield* Effect.forEach(all, ({ consumer, scope }) =>
      ConsentAttempt.given(scope, consumer, { at: asOf(0), lifetimeMillis: minute, purpose: "another" })
    )
    const live = requests.filter(({ environment }) => environment === "LIVE").map(({ id }) => id)
    assert.sameMembers(yield* claimedAt(asOf(0)), live, "in TEST the merchant has the link")
    const lapsed = yield* upkeep.lapsed(asOf(1), 10)
    assert.sameMembers(
      [...lapsed.requests],
      requests.map(({ id }) => id)
    )
    assert.sameMembers(
      [...lapsed.grants],
      grants.map(({ grant }) => grant.id)
    )
    for (const { id } of requests) yield* ConsentAttempt.decided(id, ConsentAttempt.expire, { at: asOf(1) })
    assert.strictEqual(yield* upkeep.forgetAnswers(asOf(1), 10), 3)
  })
)

export const laws = [
  findsLapsed,
  worksForAll,
  claimsNotifications,
  noticesTellWhoMayAsk,
  putsNotificationsOff,
  claimsOnlyPending,
  oneSenderEach,
  forgetsAnswers,
  keepsLaterKeys
]

export const suite: (adapter: string, layer: Layer.Layer<ConsentUpkeepPorts, unknown>) => void =
  suiteOf<ConsentUpkeepPorts>("ConsentUpkeep", laws)
