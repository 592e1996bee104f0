import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Effect, type Layer, Option, Redacted } from "effect"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshRightsRequest from "./FreshRightsRequest.js"

export type RightsRequestStorePorts = RightsRequestStore | ConsumerStore

export const keepsOneOpen = law(
  "keeps one open request of a kind and person, of however many at once, and returns it for each",
  Effect.gen(function* () {
    const store = yield* RightsRequestStore
    const consumer = yield* FreshConsent.person("LIVE")
    const now = yield* Fresh.now
    const requests = Array.from({ length: 10 }, () => ({
      ...FreshRightsRequest.of(consumer, "EXPORT", now),
      note: Redacted.make(Fresh.randomText("please"))
    }))
    const kept = yield* Effect.forEach(requests, (request) => store.ask(request), { concurrency: "unbounded" })
    const [first] = kept.flatMap(Option.toArray)
    for (const one of kept) assertEquals(one, Option.fromUndefinedOr(first))
    assert.isTrue(requests.some(({ id }) => id === first?.id))
    const other = FreshRightsRequest.of(consumer, "ERASE", now)
    assertEquals(yield* store.ask(other), Option.some(other), "another kind is another request")
    const { userId, ...stranger } = yield* FreshConsumer.unstored("LIVE")
    assertEquals(
      yield* store.ask(FreshRightsRequest.of({ ...stranger, userId }, "EXPORT", now)),
      Option.none(),
      "no one asks for whom there is no record"
    )
  })
)

export const closesOnce = law(
  "closes a request once, in its own environment; then another of that kind may be asked",
  Effect.gen(function* () {
    const store = yield* RightsRequestStore
    const consumer = yield* FreshConsent.person("LIVE")
    const now = yield* Fresh.now
    const request = FreshRightsRequest.of(consumer, "RECTIFY", now)
    yield* store.ask(request)
    const closing = { id: request.id, environment: "LIVE", status: "DONE", closedAt: now, closedBy: "ada" } as const
    assertEquals(yield* store.close({ ...closing, environment: "TEST" }), Option.none())
    const closed = { ...request, status: "DONE" as const, closedAt: now, closedBy: "ada" }
    assertEquals(yield* store.close(closing), Option.some({ request: closed, isNew: true }))
    const later = { ...closing, status: "REFUSED", closedAt: Fresh.later(now, 5), closedBy: "obi" } as const
    assertEquals(yield* store.close(later), Option.some({ request: closed, isNew: false }), "the first one counts")
    assertEquals(yield* store.close({ ...closing, id: Fresh.rightsRequestId(now) }), Option.none())
    const again = FreshRightsRequest.of(consumer, "RECTIFY", Fresh.later(now, 1))
    assertEquals(yield* store.ask(again), Option.some(again))
  })
)

export const listsByDeadline = law(
  "lists an environment's requests by deadline, the next first, of one status if asked, in pages that repeat nothing",
  Effect.gen(function* () {
    const store = yield* RightsRequestStore
    const start = yield* Fresh.longAgo
    const asked = yield* Effect.forEach([3, 1, 2], (minutes) =>
      Effect.gen(function* () {
        const consumer = yield* FreshConsent.person("LIVE")
        const request = FreshRightsRequest.of(consumer, "EXPORT", Fresh.later(start, minutes))
        yield* store.ask(request)
        return request.id
      })
    )
    const elsewhere = FreshRightsRequest.of(yield* FreshConsent.person("TEST"), "EXPORT", start)
    yield* store.ask(elsewhere)
    const [third = "", first = "", second = ""] = asked
    const oursOf = (status: "OPEN" | "DONE" | undefined, limit: number) =>
      Effect.map(
        PageWalk.all((page) => store.list("LIVE", status, page), limit),
        (all) =>
          all.map(({ id }) => id as string).filter((id) => id === elsewhere.id || asked.some((one) => one === id))
      )
    assert.deepStrictEqual(yield* oursOf(undefined, 2), [first, second, third])
    const [, done] = asked
    if (done === undefined) return assert.fail("there are three")
    yield* store.close({ id: done, environment: "LIVE", status: "DONE", closedAt: start, closedBy: "ada" })
    assert.deepStrictEqual(yield* oursOf("OPEN", 1), [second, third])
    assert.deepStrictEqual(yield* oursOf("DONE", 100), [first])
    for (const id of asked) {
      yield* store.close({ id, environment: "LIVE", status: "DONE", closedAt: start, closedBy: "ada" })
    }
  })
)

export const findsOwn = law(
  "finds a request by its id, open or closed, in its own environment alone",
  Effect.gen(function* () {
    const store = yield* RightsRequestStore
    const consumer = yield* FreshConsent.person("LIVE")
    const now = yield* Fresh.now
    const request = FreshRightsRequest.of(consumer, "EXPORT", now)
    yield* store.ask(request)
    assertEquals(yield* store.find("LIVE", request.id), Option.some(request))
    assertEquals(yield* store.find("TEST", request.id), Option.none())
    assertEquals(yield* store.find("LIVE", Fresh.rightsRequestId(now)), Option.none())
    const closed = yield* store.close({
      id: request.id,
      environment: "LIVE",
      status: "DONE",
      closedAt: now,
      closedBy: "ada"
    })
    assertEquals(
      yield* store.find("LIVE", request.id),
      Option.map(closed, (one) => one.request)
    )
  })
)

export const laws = [keepsOneOpen, closesOnce, findsOwn, listsByDeadline]

export const suite: (adapter: string, layer: Layer.Layer<RightsRequestStorePorts, unknown>) => void = suiteOf(
  "RightsRequestStore",
  laws
)
