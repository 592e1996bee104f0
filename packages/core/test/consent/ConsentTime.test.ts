import { assert, describe, it } from "@effect/vitest"
import { ConsentSweep, layer } from "@surety/core/consent/ConsentSweep"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { Grants } from "@surety/core/consent/grant/Grants"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"
import * as ConsentSandbox from "./ConsentSandbox.js"

const { anyone, page, person } = ConsentSandbox

const asked = Effect.gen(function* () {
  const requests = yield* DataRequests
  const upkeep = yield* ConsentSweep
  const book = yield* Receipts
  const reads = yield* IdentityReads
  const grants = yield* Grants
  const sandbox = yield* ConsentSandbox.merchantAndPerson("TEST")
  const { serviceId } = sandbox.consumer
  const form = ConsentSandbox.askingFor({ serviceId, requestedFields: ["email"] })
  const answer = yield* requests.create(sandbox.scope, Sandbox.key("k"), form)
  return {
    ...sandbox,
    requests,
    upkeep,
    book,
    reads,
    grants,
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
      const { requests, upkeep, scope, target } = yield* asked
      yield* TestClock.adjust("604799999 millis")
      assert.strictEqual((yield* requests.get(target)).status, "PENDING")
      assert.deepStrictEqual(yield* upkeep.sweep, nothing)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* requests.get(target)).status, "EXPIRED")
      assert.deepStrictEqual(
        (yield* requests.list(scope, anyone, page)).data.map(({ status }) => status),
        ["EXPIRED"]
      )
      const late = yield* Effect.flip(requests.approve(target, { actor: person }))
      assert.deepInclude(late, { _tag: "DataRequestDecided", status: "EXPIRED" })
      assert.deepStrictEqual((yield* requests.listPending("TEST", page)).data, [])
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a sweep records the other expiries if a record is damaged, and fails if the store is away", () =>
    Effect.gen(function* () {
      const { requests, scope, target, consumer } = yield* asked
      const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["country"] })
      yield* requests.create(scope, Sandbox.key("other"), form)
      yield* TestClock.adjust("8 days")
      const failing = (reason: StoreCorrupt | StoreUnavailable) =>
        Effect.fail(new StoreError({ operation: "ConsentStore.request", reason }))
      const sweepWith = (failed: Effect.Effect<never, StoreError>) => {
        const damaged: DataRequests["Service"] = {
          ...requests,
          expire: (id) => (id === target.id ? failed : requests.expire(id))
        }
        const over = Layer.merge(Layer.succeed(DataRequests, damaged), ConsentSandbox.scriptedNotifier().layer)
        return Effect.provide(
          Effect.flatMap(ConsentSweep, ({ sweep }) => sweep),
          Layer.fresh(layer).pipe(Layer.provide(over))
        )
      }
      const refusing = Effect.die(new Error("data_request_decided_check"))
      assert.deepStrictEqual(yield* sweepWith(refusing), { ...nothing, requestsExpired: 1 })
      assert.deepStrictEqual(yield* sweepWith(failing(new StoreCorrupt({ cause: "no date" }))), nothing)
      const away = yield* Effect.flip(sweepWith(failing(new StoreUnavailable({ cause: "gone" }))))
      assert.isTrue(away.isRetryable)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a sweep records an expiry once, with its receipt, and changes nothing that is read", () =>
    Effect.gen(function* () {
      const { requests, upkeep, book, scope, target } = yield* asked
      yield* TestClock.adjust("8 days")
      const before = yield* requests.get(target)
      assert.deepStrictEqual(yield* upkeep.sweep, { ...nothing, requestsExpired: 1 })
      assert.deepStrictEqual(yield* upkeep.sweep, nothing)
      assert.deepStrictEqual(yield* requests.get(target), before)
      const [receipt, ...more] = (yield* book.list(scope, anyone, page)).data
      assert.include(receipt?.body, '"state":"EXPIRED","time":"1970-01-08T00:00:00.000Z"')
      assert.isEmpty(more)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a grant ends after 180 days to the millisecond for readings, and for the link with the sweep", () =>
    Effect.gen(function* () {
      const { requests, upkeep, book, reads, grants, consumer, scope, serviceId, target } = yield* asked
      const { grant } = yield* requests.approve(target, { actor: person })
      const isLinked = (yield* ConsumerStore).isLinked(scope.merchantId, "TEST", consumer.userId)
      yield* TestClock.adjust("15551999999 millis")
      assert.containsAllKeys((yield* reads.read(scope, { serviceId })).fields, ["email"])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(reads.read(scope, { serviceId })))._tag, "ConsentRequired")
      assert.strictEqual((yield* grants.get({ id: grant.id, scope })).status, "EXPIRED")
      const late = yield* grants.revoke({ id: grant.id, scope }, { actor: person })
      assert.strictEqual(late.status, "EXPIRED", "what has expired cannot be revoked")
      assert.isTrue(yield* isLinked)
      assert.deepInclude(yield* upkeep.sweep, { grantsExpired: 1 })
      assert.isFalse(yield* isLinked)
      assert.deepInclude(yield* book.verifyChain(scope), { receipts: 2, faults: [] })
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a request's key is free after thirty days, and its link is unknown; the request stays", () =>
    Effect.gen(function* () {
      const { answer, requests, upkeep, form, scope, target } = yield* asked
      yield* requests.deny(target, { actor: person, reason: "DECLINED" })
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* upkeep.sweep, nothing)
      assert.isTrue((yield* requests.create(scope, Sandbox.key("k"), form)).replayed)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* upkeep.sweep, { ...nothing, answersForgotten: 1 })
      const unknown = yield* Effect.flip(requests.open(ConsentSandbox.tokenOf(answer)))
      assert.strictEqual(unknown._tag, "ConsentLinkUnknown")
      assert.strictEqual((yield* requests.get(target)).status, "DENIED")
      const again = yield* requests.create(scope, Sandbox.key("k"), {
        ...form,
        requestedFields: ConsentSandbox.fields("country")
      })
      assert.isFalse(again.replayed)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("a sweep counts only what it has recorded itself: others sweep too", () =>
    Effect.gen(function* () {
      const { grants, requests, scope, serviceId, target } = yield* asked
      const { grant } = yield* requests.approve(target, { actor: person })
      const form = ConsentSandbox.askingFor({ serviceId, requestedFields: ["country"] })
      const { request } = yield* requests.create(scope, Sandbox.key("2"), form)
      const lapsed = { requests: [request.id, target.id], grants: [grant.id] }
      const upkeep = Layer.effect(
        ConsentUpkeep,
        Effect.map(ConsentUpkeep, (whole) => ({ ...whole, lapsed: () => Effect.succeed(lapsed) }))
      )
      const sweep = Effect.provide(
        Effect.flatMap(ConsentSweep, ({ sweep: round }) => round),
        Layer.fresh(layer).pipe(Layer.provide(upkeep), Layer.provide(ConsentSandbox.scriptedNotifier().layer))
      )
      assert.deepInclude(yield* sweep, { requestsExpired: 0, grantsExpired: 0 })
      assert.strictEqual((yield* grants.get({ id: grant.id, scope })).status, "ACTIVE")
      yield* TestClock.adjust("7 days")
      assert.deepInclude(yield* sweep, { requestsExpired: 1, grantsExpired: 0 })
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("the sweeper does all that without being asked", () =>
    Effect.gen(function* () {
      const { book, scope } = yield* asked
      yield* TestClock.adjust("7 days")
      yield* Layer.build(ConsentSweeper.worker.layer)
      yield* TestClock.adjust("10 seconds")
      const receipts = Effect.map(book.list(scope, anyone, page), ({ data }) => data.length)
      yield* ConsentSandbox.eventually(Effect.map(receipts, (count) => count === 1))
    }).pipe(Effect.provide(ConsentSandbox.layer), Effect.scoped)
  )
})
