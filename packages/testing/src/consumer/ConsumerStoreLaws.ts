import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { dataChanged } from "@surety/core/consent/ConsentEvents"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { type ConsumerFilter, ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import type { Environment } from "@surety/core/Environment"
import { EventLog } from "@surety/core/event/EventLog"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, type Layer, Option, Redacted } from "effect"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import { tellsEveryReader } from "./ConsumerReaderLaws.js"
import * as FreshConsumer from "./FreshConsumer.js"

export const keepsConsumer = law(
  "keeps a consumer with all that is known, and finds it by its service id in its own environment alone",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const known = { externalId: Fresh.randomText("host"), kycStatus: "VERIFIED", kycTier: "TIER_2" } as const
    const consumer = { ...(yield* FreshConsumer.unstored("LIVE")), ...known }
    assert.isTrue(yield* store.insert(consumer, undefined))
    assertEquals(yield* store.findByServiceId("LIVE", consumer.serviceId), Option.some(consumer))
    assertEquals(yield* store.findByServiceId("TEST", consumer.serviceId), Option.none())
    const {
      country: _,
      displayName: __,
      email: ___,
      ...bare
    } = { ...(yield* FreshConsumer.unstored("TEST")), phoneVerified: false }
    assert.isTrue(yield* store.insert(bare, undefined))
    assertEquals(yield* store.findByServiceId("TEST", bare.serviceId), Option.some(bare), "without the optional parts")
    const { serviceId: unknown } = yield* FreshConsumer.unstored("LIVE")
    assertEquals(yield* store.findByServiceId("LIVE", unknown), Option.none())
  })
)

export const refusesTakenIdentifiers = law(
  "refuses a consumer whose service id or user id is taken in the environment, and stores nothing, not even the link",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const first = yield* FreshConsumer.unstored("LIVE")
    assert.isTrue(yield* store.insert(first, undefined))
    const sameServiceId = { ...(yield* FreshConsumer.unstored("LIVE")), serviceId: first.serviceId }
    const sameUserId = { ...(yield* FreshConsumer.unstored("LIVE")), userId: first.userId }
    for (const consumer of [sameServiceId, sameUserId, first]) {
      assert.isFalse(yield* store.insert(consumer, FreshConsumer.linkOf(scope, consumer)))
      assert.isFalse(yield* store.isLinked(scope.merchantId, "LIVE", consumer.userId), "the link is not stored")
    }
    assertEquals(yield* store.findByServiceId("LIVE", first.serviceId), Option.some(first))
    assertEquals(yield* store.findByServiceId("LIVE", sameUserId.serviceId), Option.none())
    const elsewhere = { ...first, environment: "TEST" as const }
    assert.isTrue(yield* store.insert(elsewhere, undefined), "the other environment has identifiers of its own")
    assertEquals(yield* store.findByServiceId("TEST", first.serviceId), Option.some(elsewhere))
  })
)

export const oneInsertWins = law(
  "gives a service id to exactly one of many consumers at once, and links no other",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { serviceId } = yield* FreshConsumer.unstored("LIVE")
    const consumers = yield* Effect.forEach(Array.from({ length: 20 }), () =>
      Effect.map(FreshConsumer.unstored("LIVE"), (consumer) => ({ ...consumer, serviceId }))
    )
    const stored = yield* Effect.forEach(
      consumers,
      (consumer) => store.insert(consumer, FreshConsumer.linkOf(scope, consumer)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(stored.filter(Boolean), 1)
    assertEquals(
      yield* store.findByServiceId("LIVE", serviceId),
      Option.fromUndefinedOr(consumers[stored.indexOf(true)])
    )
    const linked = yield* Effect.forEach(consumers, ({ userId }) => store.isLinked(scope.merchantId, "LIVE", userId))
    assert.deepStrictEqual(linked, stored)
  })
)

export const linksPerMerchantAndEnvironment = law(
  "links a consumer to one merchant in one environment; linking twice, or many times at once, is the same as once",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const born = yield* FreshConsumer.linkedTo(scope)
    assert.isTrue(yield* store.isLinked(scope.merchantId, "LIVE", born.userId))
    assert.isFalse(yield* store.isLinked(other.merchantId, "LIVE", born.userId))
    assert.isFalse(yield* store.isLinked(scope.merchantId, "TEST", born.userId))
    const consumer = yield* FreshConsumer.unstored("LIVE")
    assert.isTrue(yield* store.insert(consumer, undefined))
    assert.isFalse(yield* store.isLinked(scope.merchantId, "LIVE", consumer.userId), "unless a link is given")
    const link = FreshConsumer.linkOf(scope, consumer)
    const outcomes = yield* Effect.forEach(Array.from({ length: 10 }), () => store.link(link), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(outcomes.toSorted(), ["linked", ...Array.from({ length: 9 }, () => "linked_before")])
    const again = { ...link, createdAt: Fresh.later(link.createdAt, 1_000) }
    assert.strictEqual(yield* store.link(again), "linked_before")
    assert.isTrue(yield* store.isLinked(scope.merchantId, "LIVE", consumer.userId))
    assert.isFalse(yield* store.isLinked(other.merchantId, "LIVE", consumer.userId))
  })
)

export const unlinksOne = law(
  "takes one link away, once, and leaves those of other merchants, environments and people",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const consumer = yield* FreshConsumer.linkedTo(scope)
    const neighbour = yield* FreshConsumer.linkedTo(scope)
    yield* store.link(FreshConsumer.linkOf(other, consumer))
    assert.isFalse(
      yield* store.unlink(scope.merchantId, "TEST", consumer.userId),
      "the other environment has no such link"
    )
    const ended = yield* Effect.forEach(
      Array.from({ length: 10 }),
      () => store.unlink(scope.merchantId, "LIVE", consumer.userId),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(ended.filter(Boolean), 1, "of many at once one takes it away")
    assert.isFalse(yield* store.isLinked(scope.merchantId, "LIVE", consumer.userId))
    assert.isTrue(yield* store.isLinked(other.merchantId, "LIVE", consumer.userId))
    assert.isTrue(yield* store.isLinked(scope.merchantId, "LIVE", neighbour.userId))
    yield* store.link(FreshConsumer.linkOf(scope, consumer))
    assert.isTrue(yield* store.isLinked(scope.merchantId, "LIVE", consumer.userId), "it can be linked again")
  })
)

export const listsLinkedLastFirst = law(
  "lists the consumers that are linked to a merchant in one environment, those linked last first, page by page",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const now = yield* Fresh.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const linkAt = Effect.fnUntraced(function* (age: number) {
      const consumer = yield* FreshConsumer.unstored("LIVE")
      assert.isTrue(yield* store.insert(consumer, undefined))
      const createdAt = Fresh.later(now, -age)
      yield* store.link({ ...FreshConsumer.linkOf(scope, consumer), createdAt })
      return { userId: consumer.userId, serviceId: consumer.serviceId, linkedAt: createdAt }
    })
    const linked = yield* Effect.forEach([5, 4, 3, 2, 1], linkAt)
    yield* FreshConsumer.linkedTo(other)
    const everything = yield* store.listLinked(scope.merchantId, "LIVE", { limit: 100, cursor: undefined })
    assertEquals(everything.data, linked.toReversed())
    assert.isEmpty((yield* store.listLinked(scope.merchantId, "TEST", { limit: 100, cursor: undefined })).data)
    yield* PageWalk.expectNewestFirst(
      (page) => store.listLinked(scope.merchantId, "LIVE", page),
      ({ userId }) => userId,
      linked.toReversed().map(({ userId }) => userId),
      FreshConsumer.linkedTo(scope)
    )
  })
)

export const listsNewestFirst = law(
  "lists an environment's consumers newest first, in pages that skip and repeat nothing while consumers are added",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const now = yield* Fresh.now
    const insert = Effect.fnUntraced(function* (environment: "TEST" | "LIVE", age: number) {
      const consumer = yield* FreshConsumer.unstored(environment, Fresh.later(now, -age))
      assert.isTrue(yield* store.insert(consumer, undefined))
      return consumer.userId
    })
    const ids = yield* Effect.forEach([5, 4, 3, 2, 1], (age) => insert("TEST", age))
    const elsewhere = yield* insert("LIVE", 0)
    yield* PageWalk.expectNewestFirst(
      (page) => store.list("TEST", page),
      ({ userId }) => userId,
      ids.reverse(),
      Effect.flatMap(FreshConsumer.unstored("TEST"), (consumer) => store.insert(consumer, undefined))
    )
    const { data } = yield* store.list("TEST", { limit: 100, cursor: undefined })
    assert.isTrue(data.every(({ environment, userId }) => environment === "TEST" && userId !== elsewhere))
  })
)

/** Stores a LIVE consumer with a unique external id and a unique email address. */
const detailed = Effect.fnUntraced(function* () {
  const store = yield* ConsumerStore
  const plain = yield* FreshConsumer.unstored("LIVE")
  const consumer: Consumer = {
    ...plain,
    externalId: Fresh.randomText("crm"),
    email: Redacted.make(`${Fresh.randomText("Ada")}@Example.com`)
  }
  assert.isTrue(yield* store.insert(consumer, undefined))
  return consumer
})

export const changesDetails = law(
  "changes the details of a consumer that are as they were read, and nothing else of it",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const before = yield* detailed()
    const bystander = yield* detailed()
    const { country: _, displayName: __, externalId: ___, ...rest } = before
    const after: Consumer = { ...rest, email: Redacted.make("obi@example.com"), phoneVerified: false }
    const found = store.findByServiceId("LIVE", before.serviceId)
    assert.isFalse(yield* store.change({ ...before, country: "GH" }, after, [], []), "another country was read")
    assert.isFalse(yield* store.change({ ...before, environment: "TEST" }, after, [], []), "the other environment")
    assertEquals(yield* found, Option.some(before))
    assert.isTrue(yield* store.change(before, { ...after, kycStatus: "VERIFIED" }, [], []))
    assertEquals(yield* found, Option.some(after), "a verification is not a detail")
    assert.isFalse(yield* store.change(before, before, [], []), "it is as it was read no longer")
    assertEquals(yield* store.findByServiceId("LIVE", bystander.serviceId), Option.some(bystander))
  })
)

export const oneChangeWins = law(
  "lets exactly one of many concurrent changes of a consumer win",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const before = yield* detailed()
    const changed = Array.from({ length: 10 }, (_, index) => ({
      ...before,
      displayName: Redacted.make(`Ada ${index}`)
    }))
    const won = yield* Effect.forEach(changed, (after) => store.change(before, after, [], []), {
      concurrency: "unbounded"
    })
    assert.lengthOf(won.filter(Boolean), 1)
    assertEquals(
      yield* store.findByServiceId("LIVE", before.serviceId),
      Option.fromUndefinedOr(changed[won.indexOf(true)])
    )
  })
)

export const tellsChange = law(
  "stores a change's events with it, and none of a change that is not made",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const log = yield* EventLog
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const before = yield* detailed()
    const after: Consumer = { ...before, country: "GH" }
    const [told, untold] = yield* Effect.forEach([1, 2], () =>
      Fresh.withRandom(dataChanged(scope, before.serviceId, [IdentityField.make("country")]))
    )
    if (told === undefined || untold === undefined) return assert.fail()
    assert.isTrue(yield* store.change(before, after, [told], []))
    assert.isFalse(yield* store.change(before, after, [untold], []))
    assert.isTrue(Option.isSome(yield* log.find(scope, told.id)))
    assert.isTrue(Option.isNone(yield* log.find(scope, untold.id)))
  })
)

export const filtersConsumers = law(
  "lists the consumers of an environment that have every value asked for",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const ada = yield* detailed()
    const obi = yield* detailed()
    const email = Redacted.make(Redacted.value(ada.email ?? Redacted.make("")).toUpperCase())
    const page = { limit: 100, cursor: undefined }
    const listed = (filter: ConsumerFilter, environment: Environment = "LIVE") =>
      Effect.map(store.list(environment, page, filter), ({ data }) => [...data])
    assertEquals(yield* listed({ externalId: ada.externalId }), [ada])
    assertEquals(yield* listed({ userId: ada.userId }), [ada])
    assertEquals(yield* listed({ email }), [ada], "in any letter case")
    assertEquals(yield* listed({ email, userId: obi.userId }), [])
    assertEquals(yield* listed({ externalId: ada.externalId }, "TEST"), [])
  })
)

export type ConsumerStorePorts = ConsumerStore | ConsentStore | MerchantStore | EventLog

export const laws: ReadonlyArray<Law<ConsumerStorePorts>> = [
  keepsConsumer,
  refusesTakenIdentifiers,
  oneInsertWins,
  linksPerMerchantAndEnvironment,
  unlinksOne,
  listsLinkedLastFirst,
  listsNewestFirst,
  changesDetails,
  oneChangeWins,
  tellsChange,
  tellsEveryReader,
  filtersConsumers
]

export const suite: (adapter: string, layer: Layer.Layer<ConsumerStorePorts, unknown>) => void = suiteOf(
  "ConsumerStore",
  laws
)
