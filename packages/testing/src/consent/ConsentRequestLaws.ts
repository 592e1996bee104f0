import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { controllerOf } from "@surety/core/consent/receipt/Receipt"
import { EventLog } from "@surety/core/event/EventLog"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

const atOnce = <A, B, E, R>(inputs: ReadonlyArray<A>, run: (input: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(inputs, run, { concurrency: "unbounded" })

export const storesRequest = law(
  "stores a request with its key, fingerprint, answer and link, and makes no event",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const events = yield* EventLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    const plan = yield* ConsentAttempt.asked(scope, consumer, { key, purpose: "to ship your order" })
    const { request } = plan
    assertEquals(yield* log.findRequest({ id: request.id, scope }), Option.some(request))
    const { prior } = yield* ConsentAttempt.look(scope, consumer, key)
    assertEquals(prior, {
      requestId: request.id,
      fingerprint: plan.fingerprint,
      answer: plan.answer,
      sealedUrl: plan.link?.sealedUrl
    })
    const tokenHash = plan.link?.tokenHash ?? assert.fail("a pending request has a link")
    const found = Option.getOrThrow(yield* log.findByToken(tokenHash))
    assertEquals(found.request, request)
    assertEquals(found.sealedUrl, plan.link?.sealedUrl)
    assertEquals([...(yield* events.list(scope, { limit: 10, cursor: undefined })).data], [])
    assertEquals([...(yield* FreshConsent.soundChain(scope))], [], "no decision has been made")
  })
)

export const storesApproved = law(
  "stores a request that is approved at once, without a link",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* ConsentAttempt.given(scope, consumer)
    const key = Fresh.idempotencyKey()
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { key })
    assert.strictEqual(request.status, "APPROVED")
    assertEquals(yield* log.findRequest({ id: request.id, scope }), Option.some(request))
    const { prior } = yield* ConsentAttempt.look(scope, consumer, key)
    assert.isUndefined(prior?.sealedUrl)
  })
)

export const snapshotsTheState = law(
  "decides on the person of that environment, on what the merchant says of itself, and on its active grants",
  Effect.gen(function* () {
    const merchants = yield* MerchantStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const merchant = Option.getOrThrow(yield* merchants.find(scope.merchantId))
    const grant = (yield* ConsentAttempt.given(scope, consumer)).grant
    const ended = (yield* ConsentAttempt.given(scope, consumer)).grant
    yield* ConsentAttempt.revoked(ended)
    const [environment, neighbour] = yield* FreshMerchant.strangersTo(scope)
    yield* ConsentAttempt.given(neighbour ?? scope, consumer)
    yield* ConsentAttempt.given(scope, yield* FreshConsent.person(scope.environment))
    const seen = yield* ConsentAttempt.look(scope, consumer)
    assertEquals(
      { ...seen, grants: [...seen.grants] },
      {
        returnUrls: [],
        prior: undefined,
        controller: controllerOf(merchant),
        merchantStatus: merchant.status,
        ownPurpose: undefined,
        userId: consumer.userId,
        grants: [grant],
        open: undefined,
        history: { block: undefined, openUntil: [], madeAt: [], deniedAt: undefined }
      }
    )
    assert.isUndefined((yield* ConsentAttempt.look(environment ?? scope, consumer)).userId)
    const { serviceId } = yield* FreshConsent.person(FreshMerchant.otherEnvironment(scope).environment)
    assert.isUndefined((yield* ConsentAttempt.look(scope, { serviceId })).userId)
  })
)

export const seesOwnPurpose = law(
  "decides on the merchant's own purpose as it stands, for a request and for a grant without one",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    for (const purpose of ["to ship your order", "to call you"]) {
      yield* FreshMerchant.saveSettings(scope.merchantId, (settings) => ({ ...settings, purpose }))
      assert.strictEqual((yield* ConsentAttempt.asked(scope, consumer)).request.purpose, purpose)
      assert.strictEqual((yield* ConsentAttempt.given(scope, consumer)).grant.purpose, purpose)
    }
  })
)

export const replays = law(
  "returns the first response and link for the same key and request, letter for letter, regardless of later changes",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    const plan = yield* ConsentAttempt.asked(scope, consumer, { key })
    const replay = {
      _tag: "Replay",
      prior: {
        requestId: plan.request.id,
        fingerprint: plan.fingerprint,
        answer: plan.answer,
        sealedUrl: plan.link?.sealedUrl
      }
    }
    assertEquals<unknown>(yield* ConsentAttempt.ask(scope, consumer, { key }), replay)
    yield* ConsentAttempt.decided(plan.request.id, ConsentAttempt.deny)
    assertEquals<unknown>(yield* ConsentAttempt.ask(scope, consumer, { key }), replay)
    const rotated = yield* ConsentAttempt.ask(scope, consumer, { key, fingerprintKeys: ["k2", "k1"] })
    assertEquals<unknown>(rotated, replay, "also after the server's secret key was rotated")
  })
)

export const refusesReusedKey = law(
  "answers the same key with another request by KeyReused, and stores nothing",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    yield* ConsentAttempt.asked(scope, consumer, { key })
    const before = yield* FreshConsent.traceOf(scope)
    const other = yield* FreshConsent.person(scope.environment)
    const attempts = [
      yield* ConsentAttempt.ask(scope, consumer, { key, fields: ["email"] }),
      yield* ConsentAttempt.ask(scope, other, { key })
    ]
    assert.deepStrictEqual(ConsentAttempt.tally(attempts), { KeyReused: 2 })
    assertEquals(yield* FreshConsent.traceOf(scope), before)
  })
)

export const refusalLeavesKeyFree = law(
  "stores nothing of a refused request, and leaves its key free",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const stranger = yield* FreshConsent.person(FreshMerchant.otherEnvironment(scope).environment)
    const key = Fresh.idempotencyKey()
    const refused = yield* ConsentAttempt.ask(scope, stranger, { key })
    assert.strictEqual(refused._tag, "Refuse")
    assertEquals([...(yield* FreshConsent.traceOf(scope)).requests], [])
    yield* ConsentAttempt.asked(scope, consumer, { key })
  })
)

export const oneRequestPerKey = law(
  "makes one request of 20 at once with one key, and gives the others its answer and link",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    const decisions = yield* atOnce(Array.from({ length: 20 }), () => ConsentAttempt.ask(scope, consumer, { key }))
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, Replay: 19 })
    const answers = decisions.map((decision) =>
      decision._tag === "Execute" ? decision.plan.answer : decision._tag === "Replay" ? decision.prior.answer : ""
    )
    assert.strictEqual(new Set(answers).size, 1, "one answer for all")
    assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 1)
  })
)

export const oneMeaningPerKey = law(
  "lets one request have a key of 20 different ones at once",
  Effect.gen(function* () {
    const { scope } = yield* FreshConsent.parties()
    const people = yield* Effect.replicateEffect(FreshConsent.person(scope.environment), 20)
    const key = Fresh.idempotencyKey()
    const decisions = yield* atOnce(people, (person) => ConsentAttempt.ask(scope, person, { key }))
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, KeyReused: 19 })
    assert.lengthOf((yield* FreshConsent.traceOf(scope)).requests, 1)
  })
)

export const laws = [
  storesRequest,
  storesApproved,
  snapshotsTheState,
  seesOwnPurpose,
  replays,
  refusesReusedKey,
  refusalLeavesKeyFree,
  oneRequestPerKey,
  oneMeaningPerKey
]
