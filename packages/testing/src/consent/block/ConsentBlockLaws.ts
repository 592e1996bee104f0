import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { ConsentSnapshot, Verdict } from "@surety/core/consent/request/decideConsent"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../../consumer/FreshConsumer.js"
import * as Fresh from "../../FreshIds.js"
import { law } from "../../Law.js"
import * as FreshMerchant from "../../merchant/FreshMerchant.js"
import * as ConsentAttempt from "../ConsentAttempt.js"
import * as FreshConsent from "../FreshConsent.js"

const approvedBy = (actor: ConsentActor): Verdict => ({ _tag: "Approve", fields: undefined, actor })

const everyActor: ReadonlyArray<ConsentActor> = (["PERSON", "HOST", "OPERATOR", "MERCHANT"] as const).map((kind) => ({
  kind
}))

const outcome = (decision: {
  readonly _tag: string
  readonly reason?: { readonly _tag: string } | undefined
}): string => decision.reason?._tag ?? decision._tag

const approving = (
  { id }: Pick<DataRequest, "id">,
  verdict: Verdict = ConsentAttempt.approveAll,
  options: ConsentAttempt.DecideOptions = {}
) =>
  Effect.map(ConsentAttempt.decide(id, verdict, options), (decision) =>
    Option.match(decision, { onNone: () => "None", onSome: outcome })
  )

const giving = (...args: Parameters<typeof ConsentAttempt.give>) => Effect.map(ConsentAttempt.give(...args), outcome)

/** Returns the snapshot that a decision on the request would use. */
const snapshotOf = Effect.fnUntraced(function* ({ id }: Pick<DataRequest, "id">) {
  const store = yield* ConsentStore
  const seen: Array<ConsentSnapshot> = []
  yield* store.decide({ id, scope: undefined }, (snapshot) => {
    seen.push(snapshot)
    return { _tag: "Stands", request: snapshot.request }
  })
  return seen[0] ?? assert.fail("the request is stored")
})

/** Creates two data requests from one merchant to one person. The laws deny the second, `disowned`, as `NOT_ME`. */
const askedTwice = Effect.gen(function* () {
  const { consumer, scope } = yield* FreshConsent.parties()
  const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
  const { request: disowned } = yield* ConsentAttempt.askedAnew(scope, consumer)
  return { consumer, scope, request, disowned }
})

export const nothingAfterNotMe = law(
  'approves and grants nothing after a "not me", by any actor, until the block is lifted',
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, disowned, request, scope } = yield* askedTwice
    yield* ConsentAttempt.decided(disowned.id, ConsentAttempt.disown)
    const before = yield* FreshConsent.traceOf(scope)
    for (const actor of everyActor) assert.strictEqual(yield* approving(request, approvedBy(actor)), "AskingBlocked")
    assert.strictEqual(yield* giving(scope, consumer), "AskingBlocked")
    assertEquals(yield* FreshConsent.traceOf(scope), before)
    const [, neighbour] = yield* FreshMerchant.strangersTo(scope)
    assert.strictEqual(yield* giving(neighbour ?? scope, consumer), "Execute", "another merchant's block")
    assert.strictEqual(yield* giving(scope, yield* FreshConsent.person("LIVE")), "Execute", "another person's block")
    yield* store.liftBlock(scope, consumer.userId, yield* Fresh.now)
    assert.strictEqual(yield* approving(request), "Execute")
    assert.strictEqual(yield* giving(scope, consumer), "Execute")
  })
)

export const personAfterStopAsking = law(
  'lets the person alone approve what was asked before a "stop asking", and grants nothing',
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    yield* store.block(blockOf(request, "STOP_ASKING", yield* Fresh.now))
    for (const actor of everyActor.slice(1)) {
      assert.strictEqual(yield* approving(request, approvedBy(actor)), "AskingBlocked")
    }
    assert.strictEqual(yield* giving(scope, consumer), "AskingBlocked")
    assert.strictEqual(yield* approving(request), "Execute")
  })
)

export const notMeReplacesStopAsking = law(
  'replaces a "stop asking" that is in force by a "not me", and not the other way round',
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, disowned, request, scope } = yield* askedTwice
    const now = yield* Fresh.now
    yield* store.block(blockOf(request, "STOP_ASKING", now))
    yield* ConsentAttempt.decided(disowned.id, ConsentAttempt.disown, { at: Fresh.later(now, 1_000) })
    assert.strictEqual(yield* approving(request), "AskingBlocked")
    yield* store.block(blockOf(request, "STOP_ASKING", Fresh.later(now, 2_000)))
    assertEquals(
      (yield* ConsentAttempt.look(scope, consumer)).history?.block,
      blockOf(disowned, "NOT_ME", Fresh.later(now, 1_000))
    )
  })
)

export const liftsTheReasonSeen = law(
  'lifts only the block of the reason that was seen: a "not me" that has replaced it stays',
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, disowned, request, scope } = yield* askedTwice
    const now = yield* Fresh.now
    yield* store.block(blockOf(request, "STOP_ASKING", now))
    yield* ConsentAttempt.decided(disowned.id, ConsentAttempt.disown)
    const { userId } = consumer
    assert.isUndefined(yield* store.liftBlock(scope, userId, Fresh.later(now, 1_000), "STOP_ASKING"))
    assert.strictEqual(yield* approving(request), "AskingBlocked")
    assert.strictEqual(yield* store.liftBlock(scope, userId, Fresh.later(now, 1_000), "NOT_ME"), "NOT_ME")
    assert.strictEqual(yield* approving(request), "Execute")
  })
)

export const seesStaleBlock = law(
  "decides again if a block was made, or the merchant closed, since the caller read the snapshot",
  Effect.gen(function* () {
    const { disowned, request, scope } = yield* askedTwice
    const loaded = yield* snapshotOf(request)
    assert.isUndefined(loaded.blockedAs)
    yield* ConsentAttempt.decided(disowned.id, ConsentAttempt.disown)
    assert.strictEqual(yield* approving(request, ConsentAttempt.approveAll, { loaded }), "AskingBlocked")
    const other = yield* FreshConsent.person("LIVE")
    const { request: open } = yield* ConsentAttempt.askedAnew(scope, other)
    const before = yield* snapshotOf(open)
    yield* close(scope.merchantId)
    assert.strictEqual(yield* approving(open, ConsentAttempt.approveAll, { loaded: before }), "MerchantNotActive")
    assert.strictEqual((yield* FreshConsent.traceOf(scope)).grants.length, 0)
  })
)

const close = Effect.fnUntraced(function* (merchantId: DataRequest["merchantId"]) {
  const merchants = yield* MerchantStore
  const at = yield* Fresh.now
  assert.isTrue(yield* merchants.transition({ merchantId, from: "ACTIVE", to: "CLOSED", actor: "operator", at }))
})

export const nothingForClosed = law(
  "asks, approves and grants nothing for a merchant that is closed, and still replays and denies for the person",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const [key, purpose] = [Fresh.idempotencyKey(), Fresh.randomText("purpose")]
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { key, purpose })
    yield* close(scope.merchantId)
    const before = yield* FreshConsent.traceOf(scope)
    for (const actor of everyActor) {
      assert.strictEqual(yield* approving(request, approvedBy(actor)), "MerchantNotActive")
    }
    assert.strictEqual(yield* giving(scope, consumer), "MerchantNotActive")
    for (const asked of [{}, { purpose }]) {
      const refused = yield* ConsentAttempt.ask(scope, consumer, asked)
      assert.strictEqual(refused._tag === "Refuse" ? refused.reason._tag : refused._tag, "MerchantNotActive")
    }
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer, { key, purpose }))._tag, "Replay")
    assertEquals(yield* FreshConsent.traceOf(scope), before)
    assert.strictEqual(yield* approving(request, ConsentAttempt.deny), "Execute")
  })
)

export const blocksInTest = law(
  "stops in TEST what was asked before a block, and everything if the person was made with bounds",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const bounded = { ...(yield* FreshConsumer.unstored("TEST")), askLimits: true }
    assert.isTrue(yield* consumers.insert(bounded, undefined))
    for (const isBounded of [true, false]) {
      const { consumer: free, scope } = yield* FreshConsent.parties("TEST")
      const consumer = isBounded ? bounded : free
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: now })
      const { request: disowned } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: now })
      yield* ConsentAttempt.decided(disowned.id, ConsentAttempt.disown, { at: Fresh.later(now, 1_000) })
      assert.strictEqual(yield* approving(request), "AskingBlocked")
      assert.strictEqual(yield* giving(scope, consumer), isBounded ? "AskingBlocked" : "Execute")
      const again = yield* ConsentAttempt.ask(scope, consumer, { at: Fresh.later(now, 2_000), purpose: "again" })
      if (isBounded) {
        assert.strictEqual(outcome(again), "AskingBlocked")
        continue
      }
      const plan = again._tag === "Execute" ? again.plan : assert.fail(`Expected Execute, got ${again._tag}`)
      const linked = yield* log.findByToken(plan.link?.tokenHash ?? assert.fail("the person is asked"))
      assert.isUndefined(Option.getOrThrow(linked).blockedAs, "its link opens")
      assert.strictEqual(yield* approving(plan.request), "Execute")
    }
  })
)

export const noGrantOvertakesNotMe = law(
  'commits no approval and no grant after a "not me" that is made at the same time',
  Effect.forEach(
    Array.from({ length: 6 }, (_, index) => index),
    () =>
      Effect.gen(function* () {
        const { consumer, scope } = yield* FreshConsent.parties()
        const asked = yield* Effect.replicateEffect(ConsentAttempt.askedAnew(scope, consumer), 9)
        const approvals = asked.slice(1).map(({ request }) => Effect.asVoid(approving(request)))
        const grants = Array.from({ length: 4 }, () => Effect.asVoid(giving(scope, consumer)))
        const disowning = ConsentAttempt.decided((asked[0] ?? assert.fail()).request.id, ConsentAttempt.disown)
        const consents = [...approvals, ...grants]
        const [{ receipt }] = yield* Effect.all([disowning, Effect.all(consents, { concurrency: "unbounded" })], {
          concurrency: "unbounded"
        })
        const last = (yield* FreshConsent.soundChain(scope)).at(-1)
        assert.strictEqual(last?.id, receipt?.id, 'nothing follows the "not me"')
        assert.strictEqual(yield* giving(scope, consumer), "AskingBlocked")
      }),
    { discard: true }
  )
)

export const laws = [
  nothingAfterNotMe,
  personAfterStopAsking,
  notMeReplacesStopAsking,
  liftsTheReasonSeen,
  seesStaleBlock,
  nothingForClosed,
  blocksInTest,
  noGrantOvertakesNotMe
]
