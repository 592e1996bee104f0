import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { maxEndpoints, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { openStatuses } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

type Ports = WebhookEndpointStore | MerchantStore | ConsumerStore | PaymentStore | DeliveryQueue

const freshScope = Effect.map(FreshMerchant.make(), (merchant) => FreshMerchant.scopeOf(merchant))

export const keepsEndpoint = law(
  "keeps an endpoint with its secrets, and finds it for its merchant alone",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = yield* freshScope
    const neighbour = yield* freshScope
    const enabled = yield* FreshEndpoint.make(scope, { topics: ["refund.completed", "transaction.settled"] })
    const disabled = yield* FreshEndpoint.make(FreshMerchant.otherEnvironment(scope), { status: "DISABLED" })
    for (const endpoint of [enabled, disabled]) {
      assertEquals(yield* store.find(scope.merchantId, endpoint.id), Option.some(endpoint))
      assertEquals(yield* store.find(neighbour.merchantId, endpoint.id), Option.none())
    }
    assertEquals(yield* store.find(scope.merchantId, Fresh.endpointId(enabled.createdAt)), Option.none())
    assertEquals([...(yield* store.list(neighbour.merchantId))], [])
  })
)

export const needsMerchant = law(
  "stores no endpoint for a merchant that is not there",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.unstored())
    const endpoint = yield* FreshEndpoint.unstored(scope)
    assert.strictEqual(yield* store.insert(endpoint, 16, openStatuses), "merchant_missing")
    assertEquals(yield* store.find(scope.merchantId, endpoint.id), Option.none())
  })
)

export const checksStatus = law(
  "stores an endpoint only while the merchant's status is one of those allowed",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    for (const status of ["REJECTED", "CLOSED"] as const) {
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ status }))
      const endpoint = yield* FreshEndpoint.unstored(scope)
      assert.strictEqual(yield* store.insert(endpoint, 16, openStatuses), "status_forbids")
      assertEquals(yield* store.find(scope.merchantId, endpoint.id), Option.none())
    }
  })
)

export const closingWins = law(
  "stores no endpoint once the merchant has left the allowed statuses, however close the two come",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const merchants = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const { createdAt: at, id: merchantId } = merchant
    const change = { merchantId, from: "ACTIVE", to: "CLOSED", actor: "operator", at } as const
    const registerTen = Effect.gen(function* () {
      const endpoints = yield* Effect.replicateEffect(FreshEndpoint.unstored(FreshMerchant.scopeOf(merchant)), 10)
      const ids = yield* Effect.forEach(
        endpoints,
        (endpoint) =>
          Effect.map(store.insert(endpoint, 100, openStatuses), (done) => (done === "inserted" ? [endpoint.id] : [])),
        { concurrency: "unbounded" }
      )
      return ids.flat()
    })
    const listed = Effect.map(store.list(merchantId), (endpoints) => endpoints.map(({ id }) => id))
    const [early, seenAfterwards, late] = yield* Effect.all(
      [registerTen, Effect.andThen(merchants.transition(change), listed), registerTen],
      { concurrency: "unbounded" }
    )
    const kept = yield* listed
    assert.sameMembers(kept, [...early, ...late], "what was said to be stored is, and nothing else")
    assert.sameMembers(kept, seenAfterwards, "nothing came after the merchant was closed")
  })
)

export const closingWinsOverChange = law(
  "changes no endpoint once the merchant has left the allowed statuses, however close the two come",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const merchants = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const { createdAt: at, id: merchantId } = merchant
    const endpoints = yield* Effect.replicateEffect(FreshEndpoint.make(FreshMerchant.scopeOf(merchant)), maxEndpoints)
    const renamed = (before: WebhookEndpoint) => ({ ...before, url: `${before.url}/new` })
    const renameAll = (from: ReadonlyArray<WebhookEndpoint>) =>
      Effect.forEach(
        from,
        (before) =>
          Effect.map(store.replace(before, renamed(before), undefined, openStatuses), (isStored) =>
            isStored ? [before.id] : []
          ),
        { concurrency: "unbounded" }
      )
    const changed = Effect.map(store.list(merchantId), (listed) =>
      listed.filter(({ url }) => url.endsWith("/new")).map(({ id }) => id)
    )
    const change = { merchantId, from: "ACTIVE", to: "CLOSED", actor: "operator", at } as const
    const [early, seenAfterwards, late] = yield* Effect.all(
      [
        renameAll(endpoints.slice(0, maxEndpoints / 2)),
        Effect.andThen(merchants.transition(change), changed),
        renameAll(endpoints.slice(maxEndpoints / 2))
      ],
      { concurrency: "unbounded" }
    )
    const kept = yield* changed
    assert.sameMembers(kept, [...early, ...late].flat(), "what was said to be stored is, and nothing else")
    assert.sameMembers(kept, seenAfterwards, "nothing came after the merchant was closed")
  })
)

export const holdsLimit = law(
  "never stores more endpoints than the limit, of both environments together and of any number at once",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = yield* freshScope
    const endpoints = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
      FreshEndpoint.unstored(index % 2 === 0 ? scope : FreshMerchant.otherEnvironment(scope))
    )
    const outcomes = yield* Effect.forEach(endpoints, (endpoint) => store.insert(endpoint, 5, openStatuses), {
      concurrency: "unbounded"
    })
    const inserted = endpoints.filter((_, index) => outcomes[index] === "inserted").map(({ id }) => id)
    assert.lengthOf(inserted, 5)
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === "limit_reached"),
      15
    )
    const listed = (yield* store.list(scope.merchantId)).map(({ id }) => id)
    assert.sameMembers(listed, inserted)
    const [first] = inserted
    if (first !== undefined) assert.isTrue(yield* store.remove(scope.merchantId, first))
    assert.strictEqual(
      yield* store.insert(yield* FreshEndpoint.unstored(scope), 5, openStatuses),
      "inserted",
      "a place is free again"
    )
    assert.lengthOf(yield* store.list(scope.merchantId), 5)
  })
)

export const listsOldestFirst = law(
  "lists a merchant's endpoints of both environments oldest first",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = yield* freshScope
    const now = yield* Fresh.now
    const endpoints = yield* Effect.forEach([1, 3, 2], (age) =>
      FreshEndpoint.make(age === 2 ? FreshMerchant.otherEnvironment(scope) : scope, { at: Fresh.later(now, -age) })
    )
    const [newest, oldest, middle] = endpoints
    assertEquals([...(yield* store.list(scope.merchantId))], [oldest, middle, newest])
  })
)

const changeOf = (before: WebhookEndpoint, milliseconds: number): WebhookEndpoint => {
  const updatedAt = Fresh.later(before.updatedAt, milliseconds)
  const [first] = before.secrets
  const second = { sealed: { keyId: "k2", bytes: new Uint8Array([1, 2, 3]) }, createdAt: updatedAt }
  return {
    ...before,
    url: `https://${Fresh.randomText("moved")}.example/`,
    topics: ["refund.completed"],
    status: "DISABLED",
    disabledReason: "by the merchant",
    secrets: first === undefined ? [second] : [{ ...first, expiresAt: Fresh.later(updatedAt, 1_000) }, second],
    missedSince: updatedAt,
    updatedAt
  }
}

export const replaces = law(
  "replaces url, topics, status, reason, secrets and the start of missed events, both when they come and when they go",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = yield* freshScope
    const before = yield* FreshEndpoint.make(scope)
    const bystander = yield* FreshEndpoint.make(scope)
    const after = changeOf(before, 1)
    assert.isTrue(yield* store.replace(before, after))
    assertEquals(yield* store.find(scope.merchantId, before.id), Option.some(after))
    const { disabledReason: _, missedSince: __, ...enabled } = after
    const again: WebhookEndpoint = {
      ...enabled,
      status: "ENABLED",
      secrets: after.secrets.slice(1),
      updatedAt: Fresh.later(after.updatedAt, 1)
    }
    assert.isTrue(yield* store.replace(after, again))
    assertEquals(yield* store.find(scope.merchantId, before.id), Option.some(again))
    assertEquals(yield* store.find(scope.merchantId, bystander.id), Option.some(bystander))
  })
)

export const oneReplacementWins = law(
  "lets exactly one of many changes to the same endpoint at once stand, and none that was begun before it",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const scope = yield* freshScope
    const before = yield* FreshEndpoint.make(scope)
    const changes = Array.from({ length: 20 }, (_, index) => changeOf(before, index + 1))
    const replaced = yield* Effect.forEach(changes, (after) => store.replace(before, after), {
      concurrency: "unbounded"
    })
    assert.lengthOf(replaced.filter(Boolean), 1)
    const winner = Option.fromUndefinedOr(changes[replaced.indexOf(true)])
    assertEquals(yield* store.find(scope.merchantId, before.id), winner)
    assert.isFalse(yield* store.replace(before, changeOf(before, 50)))
    assertEquals(yield* store.find(scope.merchantId, before.id), winner)
  })
)

export const forgetsFailing = law(
  "forgets since when an endpoint has been failing if the change does, and keeps it otherwise",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const queue = yield* DeliveryQueue
    const scope = yield* freshScope
    const start = yield* Fresh.longAgo
    const { id, merchantId } = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(start)
    const attempt = { ...FreshEvent.attemptOf(due, start), responseStatus: 500 }
    assert.isDefined((yield* queue.settle(due, attempt, { _tag: "GiveUp" })).applied)
    const failing = Option.getOrThrow(yield* store.find(merchantId, id))
    assert.isDefined(failing.failingSince)
    const moved = { ...failing, url: "https://moved.example/", updatedAt: Fresh.later(failing.updatedAt, 1) }
    assert.isTrue(yield* store.replace(failing, moved))
    assertEquals(yield* store.find(merchantId, id), Option.some(moved))
    const { failingSince: _, ...recovered } = { ...moved, updatedAt: Fresh.later(moved.updatedAt, 1) }
    assert.isTrue(yield* store.replace(moved, recovered))
    assertEquals(yield* store.find(merchantId, id), Option.some(recovered))
  })
)

export const removes = law(
  "removes an endpoint and what was still to be sent to it, for its merchant alone",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const queue = yield* DeliveryQueue
    const scope = yield* freshScope
    const neighbour = yield* freshScope
    const start = yield* Fresh.longAgo
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    const stays = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEvent.make(scope, start)
    const dues = yield* FreshEvent.claim(start)
    yield* FreshEvent.make(scope, Fresh.later(start, 1))
    assert.isFalse(yield* store.remove(neighbour.merchantId, endpoint.id))
    assert.isTrue(yield* store.remove(scope.merchantId, endpoint.id))
    assert.isFalse(yield* store.remove(scope.merchantId, endpoint.id), "it is gone")
    assertEquals(yield* store.find(scope.merchantId, endpoint.id), Option.none())
    assertEquals([...(yield* store.list(scope.merchantId))], [stays])
    const [late] = dues.filter((due) => due.endpoint.id === endpoint.id)
    if (late === undefined) return assert.fail("both endpoints had a delivery")
    assert.isUndefined((yield* queue.settle(late, FreshEvent.attemptOf(late, start), { _tag: "Delivered" })).applied)
    const left = yield* FreshEvent.claim(Fresh.later(start, 2 * FreshEvent.minute))
    assert.deepStrictEqual(
      left.map((due) => due.endpoint.id),
      [stays.id, stays.id]
    )
  })
)

export const laws = [
  keepsEndpoint,
  needsMerchant,
  checksStatus,
  closingWins,
  closingWinsOverChange,
  holdsLimit,
  listsOldestFirst,
  replaces,
  oneReplacementWins,
  forgetsFailing,
  removes
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>(
  "WebhookEndpointStore",
  laws
)
