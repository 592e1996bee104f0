import { assert, describe, it } from "@effect/vitest"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import { Consents } from "@surety/core/consent/Consents"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"
import * as ConsentSandbox from "./ConsentSandbox.js"

const { everybody, page, person } = ConsentSandbox

const asked = Effect.gen(function* () {
  const consents = yield* Consents
  const sandbox = yield* ConsentSandbox.merchantAndPerson("TEST")
  const { serviceId } = sandbox.consumer
  const form = ConsentSandbox.askingFor({ serviceId, requestedFields: ["email"] })
  const answer = yield* consents.request(sandbox.scope, Sandbox.key("k"), form)
  return {
    ...sandbox,
    consents,
    serviceId,
    form,
    answer,
    target: { id: ConsentSandbox.idOf(answer), scope: sandbox.scope }
  }
})

const nothing = { requestsExpired: 0, grantsExpired: 0, peopleTold: 0, answersForgotten: 0 }

describe("With time", () => {
  it.effect("a request expires after seven days to the millisecond, whether or not a sweep has seen it", () =>
    Effect.gen(function* () {
      const { consents, scope, target } = yield* asked
      yield* TestClock.adjust("604799999 millis")
      assert.strictEqual((yield* consents.get(target)).status, "PENDING")
      assert.deepStrictEqual(yield* consents.sweep, nothing)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* consents.get(target)).status, "EXPIRED")
      assert.deepStrictEqual(
        (yield* consents.list(scope, everybody, page)).data.map(({ status }) => status),
        ["EXPIRED"]
      )
      const late = yield* Effect.flip(consents.approve(target, { actor: person }))
      assert.deepInclude(late, { _tag: "DataRequestDecided", status: "EXPIRED" })
      assert.deepStrictEqual((yield* consents.pending("TEST", page)).data, [])
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a sweep records an expiry once, with its receipt, and changes nothing that is read", () =>
    Effect.gen(function* () {
      const { consents, scope, target } = yield* asked
      yield* TestClock.adjust("8 days")
      const before = yield* consents.get(target)
      assert.deepStrictEqual(yield* consents.sweep, { ...nothing, requestsExpired: 1 })
      assert.deepStrictEqual(yield* consents.sweep, nothing)
      assert.deepStrictEqual(yield* consents.get(target), before)
      const [receipt, ...more] = (yield* consents.receipts(scope, everybody, page)).data
      assert.include(receipt?.body, '"state":"EXPIRED","time":"1970-01-08T00:00:00.000Z"')
      assert.isEmpty(more)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a grant ends after 180 days to the millisecond for readings, and for the link with the sweep", () =>
    Effect.gen(function* () {
      const { consents, consumer, scope, serviceId, target } = yield* asked
      const { grant } = yield* consents.approve(target, { actor: person })
      const isLinked = (yield* ConsumerStore).isLinked(scope.merchantId, "TEST", consumer.id)
      yield* TestClock.adjust("15551999999 millis")
      assert.containsAllKeys((yield* consents.readIdentity(scope, { serviceId })).fields, ["email"])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(consents.readIdentity(scope, { serviceId })))._tag, "ConsentRequired")
      assert.strictEqual((yield* consents.getGrant({ id: grant.id, scope })).status, "EXPIRED")
      const late = yield* consents.revoke({ id: grant.id, scope }, { actor: person })
      assert.strictEqual(late.status, "EXPIRED", "what has expired cannot be revoked")
      assert.isTrue(yield* isLinked)
      assert.deepInclude(yield* consents.sweep, { grantsExpired: 1 })
      assert.isFalse(yield* isLinked)
      assert.deepInclude(yield* consents.verifyChain(scope), { receipts: 2, faults: [] })
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a request's key is free after thirty days, and its link leads nowhere; the request stays", () =>
    Effect.gen(function* () {
      const { answer, consents, form, scope, target } = yield* asked
      yield* consents.deny(target, { actor: person, reason: "DECLINED" })
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* consents.sweep, nothing)
      assert.isTrue((yield* consents.request(scope, Sandbox.key("k"), form)).replayed)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* consents.sweep, { ...nothing, answersForgotten: 1 })
      const unknown = yield* Effect.flip(consents.byToken(ConsentSandbox.tokenOf(answer)))
      assert.strictEqual(unknown._tag, "ConsentLinkUnknown")
      assert.strictEqual((yield* consents.get(target)).status, "DENIED")
      const again = yield* consents.request(scope, Sandbox.key("k"), {
        ...form,
        requestedFields: ConsentSandbox.fields("country")
      })
      assert.isFalse(again.replayed)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("the sweeper does all that without being asked", () =>
    Effect.gen(function* () {
      const { consents, scope } = yield* asked
      yield* TestClock.adjust("7 days")
      yield* Layer.build(ConsentSweeper.layer)
      yield* TestClock.adjust("10 seconds")
      const receipts = Effect.map(consents.receipts(scope, everybody, page), ({ data }) => data.length)
      yield* ConsentSandbox.eventually(Effect.map(receipts, (count) => count === 1))
    }).pipe(Effect.provide(ConsentSandbox.layer), Effect.scoped)
  )
})
