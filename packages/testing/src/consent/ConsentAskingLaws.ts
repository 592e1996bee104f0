import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Duration, Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

const hour = 3_600_000

const atOnce = <A, B, E, R>(inputs: ReadonlyArray<A>, run: (input: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(inputs, run, { concurrency: "unbounded" })

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

export const oneOpenQuestion = law(
  "answers the same open question under another key with the record that is pending, in any order of fields",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const first = yield* ConsentAttempt.asked(scope, consumer, { fields: ["email", "country"] })
    const key = Fresh.idempotencyKey()
    const repeat = yield* ConsentAttempt.ask(scope, consumer, { key, fields: ["country", "email"] })
    if (repeat._tag !== "Repeat") return assert.fail(`Expected Repeat, got ${repeat._tag}`)
    const { open } = repeat.plan
    assertEquals(open, { request: first.request, answer: first.answer, sealedUrl: first.link?.sealedUrl })
    assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 1)
    const others = [
      yield* ConsentAttempt.ask(scope, consumer, { fields: ["email"] }),
      yield* ConsentAttempt.ask(scope, consumer, { fields: ["email", "country", "display_name"] }),
      yield* ConsentAttempt.ask(scope, consumer, { purpose: "to call you" }),
      yield* ConsentAttempt.ask(scope, yield* FreshConsent.person(scope.environment))
    ]
    assert.deepStrictEqual(ConsentAttempt.tally(others), { Execute: 4 })
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      const theirs =
        stranger.environment === scope.environment ? consumer : yield* FreshConsent.person(stranger.environment)
      assert.strictEqual((yield* ConsentAttempt.ask(stranger, theirs))._tag, "Execute")
    }
  })
)

export const repeatedKeysReplay = law(
  "keeps returning an open request's record to a second key that found it, regardless of its outcome",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const first = yield* ConsentAttempt.asked(scope, consumer)
    const key = Fresh.idempotencyKey()
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer, { key }))._tag, "Repeat")
    yield* ConsentAttempt.decided(first.request.id, ConsentAttempt.approveAll)
    const replayed = yield* ConsentAttempt.ask(scope, consumer, { key })
    assertEquals<unknown>(replayed, {
      _tag: "Replay",
      prior: {
        requestId: first.request.id,
        fingerprint: first.fingerprint,
        answer: first.answer,
        sealedUrl: first.link?.sealedUrl
      }
    })
    const other = yield* FreshConsent.person(scope.environment)
    assert.strictEqual((yield* ConsentAttempt.ask(scope, other, { key }))._tag, "KeyReused")
  })
)

export const asksAgainAfterwards = law(
  "takes a question that was decided, cancelled or has expired for a new one",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    for (const verdict of [ConsentAttempt.deny, ConsentAttempt.cancel]) {
      const { request } = yield* ConsentAttempt.asked(scope, consumer)
      yield* ConsentAttempt.decided(request.id, verdict)
    }
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { at: now, lifetimeMillis: 1_000 })
    const before = yield* ConsentAttempt.ask(scope, consumer, { at: Fresh.later(now, 999) })
    assert.strictEqual(before._tag, "Repeat")
    const after = yield* ConsentAttempt.asked(scope, consumer, { at: Fresh.later(now, 1_000) })
    assert.notStrictEqual(after.request.id, request.id)
  })
)

export const oneQuestionAtOnce = law(
  "makes one request of 20 equal questions at once, each under a key of its own",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const decisions = yield* atOnce(numbers(20), () => ConsentAttempt.ask(scope, consumer))
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, Repeat: 19 })
    assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 1)
  })
)

export const oneMeaningPerRepeatedKey = law(
  "lets one key stand for a new request or for an open one, of both at once",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* ConsentAttempt.asked(scope, consumer)
    const people = yield* Effect.replicateEffect(FreshConsent.person(scope.environment), 9)
    const key = Fresh.idempotencyKey()
    const decisions = yield* atOnce([consumer, ...people], (person) => ConsentAttempt.ask(scope, person, { key }))
    const { Execute = 0, KeyReused, Repeat = 0 } = ConsentAttempt.tally(decisions)
    assert.deepStrictEqual([Execute + Repeat, KeyReused], [1, 9])
    assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 1 + Execute)
  })
)

export const keepsTheHistory = law(
  "decides on the pending requests, those of the last day, the last denial of the same question, and the block",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    const ago = (hours: number) => Fresh.later(now, -hours * hour)
    const history = ConsentAttempt.look(scope, consumer, undefined, { at: now }).pipe(
      Effect.map((seen) => seen.history ?? assert.fail("asking is bounded in LIVE"))
    )
    const nothing = { block: undefined, openUntil: [], madeAt: [], deniedAt: undefined }
    assertEquals<unknown>(yield* history, nothing)
    const old = yield* ConsentAttempt.asked(scope, consumer, { at: ago(30), purpose: "old" })
    const denied = yield* ConsentAttempt.asked(scope, consumer, { at: ago(24) })
    yield* ConsentAttempt.decided(denied.request.id, ConsentAttempt.deny, { at: ago(2) })
    const cancelled = yield* ConsentAttempt.asked(scope, consumer, { at: ago(3), fields: ["email"] })
    yield* ConsentAttempt.decided(cancelled.request.id, ConsentAttempt.cancel, { at: ago(3) })
    const other = yield* ConsentAttempt.asked(scope, consumer, { at: ago(2), purpose: "other" })
    yield* ConsentAttempt.decided(other.request.id, ConsentAttempt.deny, { at: ago(1) })
    yield* ConsentAttempt.given(scope, consumer, { fields: ["phone_verified"] })
    const covered = yield* ConsentAttempt.asked(scope, consumer, { fields: ["phone_verified"] })
    assert.strictEqual(covered.request.status, "APPROVED")
    const [, neighbour] = yield* FreshMerchant.strangersTo(scope)
    yield* ConsentAttempt.asked(neighbour ?? scope, consumer)
    yield* ConsentAttempt.asked(scope, yield* FreshConsent.person(scope.environment))
    const seen = yield* history
    assertEquals<unknown>(
      { ...seen, madeAt: [...seen.madeAt].sort() },
      {
        block: undefined,
        openUntil: [old.request.expiresAt],
        madeAt: [cancelled.request.createdAt, other.request.createdAt].sort(),
        deniedAt: ago(2)
      }
    )
  })
)

export const boundsTestConsumers = law(
  "bounds asking in TEST for the consumers that were made so, and for no others",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    assert.isUndefined((yield* ConsentAttempt.look(scope, consumer)).history)
    const bounded = { ...(yield* FreshConsumer.unstored("TEST")), askLimits: true }
    assert.isTrue(yield* consumers.insert(bounded, undefined))
    assert.isDefined((yield* ConsentAttempt.look(scope, bounded)).history)
    assertEquals(yield* consumers.findByServiceId("TEST", bounded.serviceId), Option.some(bounded))
  })
)

const limits = { open: 3, perDay: 5, againAfter: Duration.hours(24) }

export const boundsHoldAtOnce = law(
  "lets 20 different questions at once pass no bound",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const ask = (index: number) => ConsentAttempt.ask(scope, consumer, { purpose: `purpose ${index}`, limits })
    const first = yield* atOnce(numbers(20), ask)
    assert.deepStrictEqual(ConsentAttempt.tally(first), { Execute: 3, Refuse: 17 })
    for (const decision of first) {
      if (decision._tag === "Execute") yield* ConsentAttempt.decided(decision.plan.request.id, ConsentAttempt.cancel)
    }
    const then = yield* atOnce(numbers(20), ask)
    assert.deepStrictEqual(ConsentAttempt.tally(then), { Execute: 2, Refuse: 18 })
  })
)

export const disownedBlocks = law(
  "blocks the merchant in the commit of a denial as not meant for the person, and by a block alone",
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    const block = ConsentAttempt.look(scope, consumer).pipe(Effect.map(({ history }) => history?.block))
    const { request } = yield* ConsentAttempt.asked(scope, consumer)
    const declined = yield* ConsentAttempt.asked(scope, consumer, { purpose: "other" })
    yield* ConsentAttempt.decided(declined.request.id, ConsentAttempt.deny)
    assert.isUndefined(yield* block, "a plain no blocks nothing")
    yield* ConsentAttempt.decided(request.id, ConsentAttempt.disown, { at: now })
    const disowned = blockOf(request, "NOT_ME", now)
    assertEquals(yield* block, disowned)
    yield* store.block(blockOf(declined.request, "STOP_ASKING", Fresh.later(now, 1_000)))
    assertEquals(yield* block, disowned, "the first one stays")
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer))._tag, "Refuse")

    const liftedAt = Fresh.later(now, 2_000)
    const [, neighbour] = yield* FreshMerchant.strangersTo(scope)
    assert.isUndefined(yield* store.liftBlock(neighbour ?? scope, consumer.userId, liftedAt))
    assert.strictEqual(yield* store.liftBlock(scope, consumer.userId, liftedAt), "NOT_ME")
    assert.isUndefined(yield* store.liftBlock(scope, consumer.userId, liftedAt), "none is left")
    assertEquals<unknown>(yield* block, { ...disowned, liftedAt })
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer))._tag, "Execute")
    const again = blockOf(declined.request, "STOP_ASKING", Fresh.later(now, 3_000))
    yield* store.block(again)
    assertEquals(yield* block, again)
  })
)

export const listsBlocks = law(
  "lists the blocks that are in force, of one merchant or of all, newest first, page by page",
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const log = yield* ConsentLog
    const { scope } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    const made: Array<AskingBlock> = []
    for (const index of numbers(5)) {
      const consumer = yield* FreshConsent.person(scope.environment)
      const { request } = yield* ConsentAttempt.asked(scope, consumer)
      const block = blockOf(request, "STOP_ASKING", Fresh.later(now, index * 1_000))
      yield* store.block(block)
      made.unshift(block)
    }
    const [lifted, ...inForce] = made
    yield* store.liftBlock(scope, (lifted ?? assert.fail()).userId, now)
    const anyone = { userId: undefined }
    for (const limit of [1, 2, 10]) {
      const listed = yield* PageWalk.all((page) => log.listBlocks(scope, anyone, page), limit)
      assertEquals([...listed], inForce)
    }
    const ofAll = { merchantId: undefined, environment: scope.environment }
    const all = yield* PageWalk.all((page) => log.listBlocks(ofAll, anyone, page), 100)
    assertEquals(
      all.filter(({ merchantId }) => merchantId === scope.merchantId),
      inForce
    )
    for (const listing of [scope, ofAll]) {
      const ofPerson = ({ userId }: AskingBlock) =>
        log.listBlocks(listing, { userId }, { limit: 10, cursor: undefined })
      for (const block of inForce) assertEquals([...(yield* ofPerson(block)).data], [block])
      assertEquals([...(yield* ofPerson(lifted ?? assert.fail())).data], [])
    }
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      assertEquals([...(yield* log.listBlocks(stranger, anyone, { limit: 10, cursor: undefined })).data], [])
    }
  })
)

export const laws = [
  oneOpenQuestion,
  repeatedKeysReplay,
  asksAgainAfterwards,
  oneQuestionAtOnce,
  oneMeaningPerRepeatedKey,
  keepsTheHistory,
  boundsTestConsumers,
  boundsHoldAtOnce,
  disownedBlocks,
  listsBlocks
]
