import { assert, describe, it } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { ConsentSweep, layer as ConsentSweepLayer } from "@surety/core/consent/ConsentSweep"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Merchants } from "@surety/core/merchant/Merchants"
import { DateTime, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../../Sandbox.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

const { page, person, scriptedNotifier } = ConsentSandbox

const asked = Effect.fnUntraced(function* (environment: "TEST" | "LIVE") {
  const requests = yield* DataRequests
  const upkeep = yield* ConsentSweep
  const blocks = yield* AskingBlocks
  const sandbox = yield* ConsentSandbox.merchantAndPerson(environment)
  const { serviceId } = sandbox.consumer
  const answer = yield* requests.create(
    sandbox.scope,
    Sandbox.key("k"),
    ConsentSandbox.askingFor({ serviceId, requestedFields: ["email"] })
  )
  const target = { id: ConsentSandbox.idOf(answer), scope: sandbox.scope }
  return { ...sandbox, requests, upkeep, blocks, serviceId, answer, target }
})

const isDue = Effect.gen(function* () {
  const now = yield* DateTime.now
  const due = yield* (yield* ConsentUpkeep).claimNotifications({ now, againAt: now, limit: 10 })
  return due.length > 0
})

describe("The link of a request", () => {
  it.effect("goes to the person alone in LIVE, and never to the merchant", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { answer, requests, upkeep, consumer, serviceId, target } = yield* asked("LIVE")
      assert.isUndefined(answer.consentUrl)
      assert.notInclude(answer.response, "consent")
      yield* notifier.asked
      const [notice, ...more] = notifier.notices
      assert.isEmpty(more)
      assert.deepInclude(notice, {
        dataRequestId: target.id,
        userId: consumer.userId,
        serviceId,
        purpose: "Sandbox Shop asks to identify you as its customer."
      })
      const url = Redacted.value(notice?.url ?? assert.fail("the notice has a link"))
      assert.match(url, /^https:\/\/consent\.example\/consent\/[\w-]{43}$/u)
      const question = yield* requests.open(Redacted.make(url.slice(url.lastIndexOf("/") + 1)))
      assert.strictEqual(question.request.id, target.id)
      assert.deepInclude(notice, { isReminder: false, attempt: 1 })
      assert.isFalse(yield* isDue)
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("goes to the person once more, as a reminder, a day before the request expires", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { upkeep } = yield* asked("LIVE")
      yield* notifier.asked
      yield* TestClock.adjust("6 days")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 1 })
      assert.deepStrictEqual(
        notifier.notices.map(({ isReminder }) => isReminder),
        [false, true]
      )
      yield* TestClock.adjust("23 hours")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("goes to others if one request refuses to record that its person was notified", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { consumer, requests, scope, target } = yield* asked("LIVE")
      const { serviceId } = consumer
      yield* requests.create(
        scope,
        Sandbox.key("other"),
        ConsentSandbox.askingFor({ serviceId, requestedFields: ["country"] })
      )
      yield* TestClock.adjust("6 days")
      const upkeep = yield* ConsentUpkeep
      const refusing: ConsentUpkeep["Service"] = {
        ...upkeep,
        recordNotified: (id, remindAt) =>
          id === target.id ? Effect.die(new Error("data_request_notice_check")) : upkeep.recordNotified(id, remindAt)
      }
      const sweep = Effect.flatMap(ConsentSweep, (service) => service.sweep).pipe(
        Effect.provide(Layer.fresh(ConsentSweepLayer)),
        Effect.provideService(ConsentUpkeep, refusing),
        Effect.provide(notifier.layer)
      )
      assert.deepInclude(yield* sweep, { peopleTold: 1 })
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("is not sent after a decision", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { requests, upkeep, target } = yield* asked("LIVE")
      yield* notifier.asked
      yield* requests.deny(target, { actor: person, reason: "DECLINED" })
      yield* TestClock.adjust("6 days")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      assert.lengthOf(notifier.notices, 1)
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("is in the answer in TEST, where people are not notified", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { answer, upkeep } = yield* asked("TEST")
      assert.match(
        Redacted.value(answer.consentUrl ?? assert.fail("there is a link")),
        /^https:\/\/consent\.example\/consent\/[\w-]{43}$/u
      )
      assert.notInclude(answer.response, "consent.example", "it is not stored with the response")
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      assert.isEmpty(notifier.notices)
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect.each(["blocked", "closed"])("does not leave while the merchant is %s", (how) => {
    const notifier = scriptedNotifier("unavailable")
    return Effect.gen(function* () {
      const { requests, upkeep, blocks, consumer, scope, target } = yield* asked("LIVE")
      const merchants = yield* Merchants
      yield* notifier.asked
      yield* ConsentSandbox.eventually(Effect.map(isDue, (due) => !due))
      if (how === "blocked") yield* blocks.create(yield* requests.get(target))
      else yield* merchants.changeStatus(scope.merchantId, { to: "CLOSED", actor: "operator", reason: undefined })
      for (let hour = 0; hour < 48; hour += 1) {
        yield* TestClock.adjust("1 hour")
        assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      }
      assert.lengthOf(notifier.notices, 1)
      const [pending] = (yield* requests.listPending("LIVE", ConsentSandbox.page)).data
      assert.isUndefined(pending?.url, "the operator brings no link either")
      if (how === "closed") return
      yield* blocks.lift(scope, consumer.serviceId)
      yield* TestClock.adjust("1 day")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 1 })
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("is sent again by the schedule when the notifier failed, did not answer, or broke", () => {
    const notifier = scriptedNotifier("unavailable", "silent", "broken")
    return Effect.gen(function* () {
      const { upkeep } = yield* asked("LIVE")
      yield* notifier.asked
      yield* ConsentSandbox.eventually(Effect.map(isDue, (due) => !due))
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      assert.lengthOf(notifier.notices, 1)
      yield* TestClock.adjust("1 seconds")
      const round = yield* Effect.forkChild(upkeep.sweep)
      yield* ConsentSandbox.eventually(Effect.sync(() => notifier.notices.length === 2))
      yield* TestClock.adjust("16 seconds")
      assert.deepInclude(yield* Fiber.join(round), { peopleTold: 0 })
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      yield* TestClock.adjust("30 minutes")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 1 })
      assert.lengthOf(notifier.notices, 4)
      assert.lengthOf(
        [...new Set(notifier.notices.map(({ url }) => Redacted.value(url)))],
        1,
        "the same link each time"
      )
      assert.isFalse(yield* isDue)
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("is sent once if the notifier takes as long as a hook may", () => {
    const notifier = scriptedNotifier("late")
    return Effect.gen(function* () {
      const { upkeep } = yield* asked("LIVE")
      yield* notifier.asked
      yield* TestClock.adjust("15 seconds")
      yield* ConsentSandbox.eventually(Effect.map(isDue, (due) => !due))
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0 })
      assert.lengthOf(notifier.notices, 1)
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("is not sent any more once the request is decided or has expired", () => {
    const notifier = scriptedNotifier("unavailable", "unavailable")
    return Effect.gen(function* () {
      const { requests, upkeep, target } = yield* asked("LIVE")
      yield* asked("LIVE")
      yield* ConsentSandbox.eventually(Effect.sync(() => notifier.notices.length === 2))
      yield* requests.approve(target, { actor: person })
      yield* TestClock.adjust("7 days")
      assert.deepInclude(yield* upkeep.sweep, { peopleTold: 0, requestsExpired: 1 })
      assert.lengthOf(notifier.notices, 2)
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })

  it.effect("stands in the operator's list of what waits for a decision", () => {
    const notifier = scriptedNotifier()
    return Effect.gen(function* () {
      const { requests, target } = yield* asked("LIVE")
      yield* notifier.asked
      const [waiting, ...more] = (yield* requests.listPending("LIVE", page)).data
      assert.isEmpty(more)
      assert.strictEqual(waiting?.request.id, target.id)
      assert.deepStrictEqual(
        Redacted.value(waiting?.url ?? assert.fail("it has a link")),
        Redacted.value(notifier.notices[0]?.url ?? assert.fail("it was sent"))
      )
      assert.deepStrictEqual((yield* requests.listPending("TEST", page)).data, [])
      yield* requests.approve(target, { actor: { kind: "OPERATOR" } })
      assert.deepStrictEqual((yield* requests.listPending("LIVE", page)).data, [])
    }).pipe(Effect.provide(ConsentSandbox.layerWith(notifier.layer)))
  })
})
