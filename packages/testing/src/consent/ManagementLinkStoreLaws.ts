import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { type DateTime, Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshConsent from "./FreshConsent.js"

export type ManagementLinkStorePorts = ManagementLinkStore | ConsumerStore | MerchantStore

const linkUntil = Effect.fnUntraced(function* (expiresAt: DateTime.Utc) {
  const { consumer, scope } = yield* FreshConsent.parties("TEST")
  const link: ManagementLink = {
    tokenHash: ConsentTokenHash.make(Fresh.sha256(Fresh.randomText("token"), "hex")),
    environment: "TEST",
    userId: consumer.userId,
    serviceId: consumer.serviceId,
    createdAt: Fresh.later(expiresAt, -1_000),
    expiresAt
  }
  return { link, scope }
})

export const keepsLinks = law(
  "keeps a link as it was first given, with or without a merchant and a request, and finds no other",
  Effect.gen(function* () {
    const store = yield* ManagementLinkStore
    const now = yield* Fresh.now
    const { link, scope } = yield* linkUntil(now)
    const { link: other } = yield* linkUntil(now)
    const bound: ManagementLink = { ...other, merchantId: scope.merchantId, dataRequestId: Fresh.dataRequestId(now) }
    yield* store.keep(link)
    yield* store.keep(bound)
    yield* store.keep({ ...link, userId: other.userId, serviceId: other.serviceId, expiresAt: Fresh.later(now, 5_000) })
    assertEquals(yield* store.find(link.tokenHash), Option.some(link))
    assertEquals(yield* store.find(bound.tokenHash), Option.some(bound))
    assertEquals(yield* store.find(ConsentTokenHash.make(link.tokenHash.slice(0, -1))), Option.none())
  })
)

export const keepsOne = law(
  "keeps one of 10 links of the same token at once",
  Effect.gen(function* () {
    const store = yield* ManagementLinkStore
    const { link } = yield* linkUntil(yield* Fresh.now)
    const links = Array.from({ length: 10 }, (_, later) => ({ ...link, expiresAt: Fresh.later(link.expiresAt, later) }))
    yield* Effect.forEach(links, store.keep, { concurrency: "unbounded" })
    const first = yield* store.find(link.tokenHash)
    yield* store.keep({ ...link, expiresAt: Fresh.later(link.expiresAt, 99) })
    assertEquals(yield* store.find(link.tokenHash), first)
    assert.isTrue(Option.isSome(first))
  })
)

export const knowsPerson = law(
  "keeps no link of a person who is not there, and says so",
  Effect.gen(function* () {
    const store = yield* ManagementLinkStore
    const now = yield* Fresh.now
    const { link } = yield* linkUntil(now)
    const erased: ManagementLink = { ...link, userId: Fresh.userId(now) }
    assert.isFalse(yield* store.keep(erased))
    assertEquals(yield* store.find(link.tokenHash), Option.none())
    assert.isTrue(yield* store.keep(link))
    assert.isTrue(yield* store.keep({ ...link, expiresAt: Fresh.later(now, 5_000) }), "it is there already")
    assertEquals(yield* store.find(link.tokenHash), Option.some(link))
  })
)

export const forgetsLinks = law(
  "forgets links that have expired, as many as asked for, and no others",
  Effect.gen(function* () {
    const store = yield* ManagementLinkStore
    const start = yield* Fresh.longAgo
    yield* Effect.addFinalizer(() => Effect.ignore(store.forget(Fresh.later(start, 200_000), 10)))
    const links = yield* Effect.forEach([1, 2, 3], (later) => linkUntil(Fresh.later(start, later * 60_000)))
    for (const { link } of links) yield* store.keep(link)
    const left = Effect.map(
      Effect.forEach(links, ({ link }) => store.find(link.tokenHash)),
      (found) => found.map(Option.isSome)
    )
    assert.strictEqual(yield* store.forget(Fresh.later(start, 60_000), 10), 0, "what expires at that moment is kept")
    assert.strictEqual(yield* store.forget(Fresh.later(start, 150_000), 1), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(start, 150_000), 10), 1)
    assert.deepStrictEqual(yield* left, [false, false, true])
  })
)

export const laws = [keepsLinks, keepsOne, knowsPerson, forgetsLinks]

export const suite: (adapter: string, layer: Layer.Layer<ManagementLinkStorePorts, unknown>) => void =
  suiteOf<ManagementLinkStorePorts>("ManagementLinkStore", laws)
