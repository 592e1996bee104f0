import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Merchant, MerchantStatus, MerchantStatusChange } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { type DateTime, Effect, type Layer, Option, Redacted } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshMerchant from "./FreshMerchant.js"

const changeOf = (merchant: Merchant, to: MerchantStatus, at: DateTime.Utc): MerchantStatusChange => ({
  merchantId: merchant.id,
  from: merchant.status,
  to,
  actor: "operator",
  reason: "reviewed",
  at
})

export const keepsMerchant = law(
  "keeps a merchant with all that it said of itself, and its first status",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const plain = yield* FreshMerchant.unstored({ status: "PENDING_REVIEW" })
    const merchant: Merchant = {
      ...plain,
      profile: {
        ...plain.profile,
        contactName: Redacted.make("Zoë O'Hara"),
        supportEmail: "help@stores.example",
        websiteUrl: "https://stores.example",
        registrationNumber: "RC-1"
      },
      settings: { refundsEnabled: false, settlementOverdraft: true, purpose: "to ship your order" }
    }
    const change = FreshMerchant.firstChange(merchant)
    assert.isTrue(yield* store.insert(merchant, change))
    assertEquals(yield* store.find(merchant.id), Option.some(merchant))
    assertEquals([...(yield* store.history(merchant.id))], [change])
    const other = yield* FreshMerchant.make()
    assertEquals(yield* store.find(other.id), Option.some(other), "without the optional parts too")
  })
)

export const knowsNoStranger = law(
  "knows nothing of a merchant that was never stored",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const stranger = yield* FreshMerchant.unstored()
    assertEquals(yield* store.find(stranger.id), Option.none())
    assertEquals([...(yield* store.history(stranger.id))], [])
    assert.isFalse(yield* store.transition(changeOf(stranger, "CLOSED", stranger.createdAt)))
    assert.isFalse(
      yield* store.saveSettings(stranger.id, { from: stranger.settings, to: stranger.settings }, stranger.createdAt)
    )
    assertEquals([...(yield* store.history(stranger.id))], [])
  })
)

export const refusesTakenCode = law(
  "gives a business code to one merchant, of any number at once, and stores nothing of the others",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const first = yield* FreshMerchant.unstored()
    const merchants = yield* Effect.forEach(Array.from({ length: 20 }), () =>
      Effect.map(FreshMerchant.unstored(), (merchant) => ({ ...merchant, businessCode: first.businessCode }))
    )
    const stored = yield* Effect.forEach(
      merchants,
      (merchant) => store.insert(merchant, FreshMerchant.firstChange(merchant)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(stored.filter(Boolean), 1)
    for (const [index, merchant] of merchants.entries()) {
      assert.strictEqual(Option.isSome(yield* store.find(merchant.id)), stored[index])
      assert.lengthOf(yield* store.history(merchant.id), stored[index] ? 1 : 0)
    }
  })
)

export const findsByExternalId = law(
  "finds a merchant by the host's own id of it, of any characters",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const externalId = `${Fresh.randomText("shop")} / Zoë`
    const named = yield* FreshMerchant.make({ externalId })
    const unnamed = yield* FreshMerchant.make()
    assertEquals(yield* store.findByExternalId(externalId), Option.some(named))
    assertEquals(yield* store.find(named.id), Option.some(named))
    assertEquals(yield* store.find(unnamed.id), Option.some(unnamed))
    for (const other of [externalId.toUpperCase(), `${externalId} `, named.id]) {
      assertEquals(yield* store.findByExternalId(other), Option.none())
    }
  })
)

export const refusesTakenExternalId = law(
  "gives an external id to one merchant, of 30 at once, and stores nothing of the others",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const externalId = Fresh.randomText("shop")
    const merchants = yield* Effect.forEach(Array.from({ length: 30 }), () => FreshMerchant.unstored({ externalId }))
    const stored = yield* Effect.forEach(
      merchants,
      (merchant) => store.insert(merchant, FreshMerchant.firstChange(merchant)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(stored.filter(Boolean), 1)
    for (const [index, merchant] of merchants.entries()) {
      assert.strictEqual(Option.isSome(yield* store.find(merchant.id)), stored[index])
      assert.lengthOf(yield* store.history(merchant.id), stored[index] ? 1 : 0)
    }
    assertEquals(
      Option.map(yield* store.findByExternalId(externalId), ({ id }) => id),
      Option.fromUndefinedOr(merchants[stored.indexOf(true)]?.id)
    )
  })
)

export const movesOnlyFrom = law(
  "moves a merchant only while its status still is the one to be left, and keeps the change",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const merchant = yield* FreshMerchant.make({ status: "PENDING_REVIEW" })
    const activated = changeOf(merchant, "ACTIVE", Fresh.later(merchant.createdAt, 1_000))
    assert.isTrue(yield* store.transition(activated))
    const active: Merchant = { ...merchant, status: "ACTIVE", updatedAt: activated.at }
    assertEquals(yield* store.find(merchant.id), Option.some(active))
    assert.isFalse(yield* store.transition(changeOf(merchant, "REJECTED", Fresh.later(merchant.createdAt, 2_000))))
    assertEquals(yield* store.find(merchant.id), Option.some(active))
    const suspended = changeOf(active, "SUSPENDED", Fresh.later(merchant.createdAt, 3_000))
    assert.isTrue(yield* store.transition(suspended))
    assertEquals(
      [...(yield* store.history(merchant.id))],
      [FreshMerchant.firstChange(merchant), activated, suspended],
      "oldest first"
    )
  })
)

export const oneTransitionWins = law(
  "lets exactly one of many concurrent transitions win, to any statuses",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const changes = Array.from({ length: 20 }, (_, index) =>
      changeOf(merchant, index % 2 === 0 ? "SUSPENDED" : "CLOSED", Fresh.later(merchant.createdAt, index + 1))
    )
    const moved = yield* Effect.forEach(changes, (change) => store.transition(change), { concurrency: "unbounded" })
    const winner = changes[moved.indexOf(true)]
    assert.lengthOf(moved.filter(Boolean), 1)
    assert.strictEqual(Option.getOrThrow(yield* store.find(merchant.id)).status, winner?.to)
    assertEquals([...(yield* store.history(merchant.id))], [FreshMerchant.firstChange(merchant), winner])
  })
)

export const savesSettings = law(
  "saves what the operator allows, and leaves the rest of the merchant as it is",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const merchant = yield* FreshMerchant.make()
    const bystander = yield* FreshMerchant.make()
    const plain = { refundsEnabled: false, settlementOverdraft: true }
    const told = { ...plain, purpose: "to ship your order" }
    const returning = { ...told, returnUrls: ["https://shop.example/orders"] }
    let from = merchant.settings
    for (const [index, settings] of [plain, told, returning, plain].entries()) {
      const at = Fresh.later(merchant.createdAt, 1_000 + index)
      assert.isTrue(yield* store.saveSettings(merchant.id, { from, to: settings }, at))
      from = settings
      assertEquals(yield* store.find(merchant.id), Option.some({ ...merchant, settings, updatedAt: at }))
    }
    assertEquals(yield* store.find(bystander.id), Option.some(bystander))
  })
)

export const savesOverItsOwn = law(
  "saves settings only over those that they were decided on, so no concurrent change is lost",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const { createdAt, id, settings: from } = yield* FreshMerchant.make()
    const full = { ...from, purpose: "to ship your order", returnUrls: ["https://shop.example/orders"] }
    const others = [
      { ...full, refundsEnabled: !full.refundsEnabled },
      { ...full, settlementOverdraft: !full.settlementOverdraft },
      { ...full, purpose: "to call you" },
      { ...full, returnUrls: ["https://shop.example/account"] },
      from
    ]
    const at = Fresh.later(createdAt, 1_000)
    assert.isTrue(yield* store.saveSettings(id, { from, to: full }, at))
    for (const stale of others) {
      assert.isFalse(yield* store.saveSettings(id, { from: stale, to: from }, Fresh.later(at, 1_000)))
    }
    const stored = Option.getOrThrow(yield* store.find(id))
    assertEquals(stored.settings, full)
    assertEquals(stored.updatedAt, at)
    const changes = others.map((to) => store.saveSettings(id, { from: full, to }, at))
    const saved = yield* Effect.all(changes, { concurrency: "unbounded" })
    assert.lengthOf(
      saved.filter((isSaved) => isSaved),
      1
    )
  })
)

export const listsNewestFirst = law(
  "lists merchants newest first, in pages that skip and repeat nothing while merchants are added",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const now = yield* Fresh.now
    const merchants = yield* Effect.forEach([5, 4, 3, 2, 1], (age) =>
      FreshMerchant.make({ at: Fresh.later(now, -age) })
    )
    yield* PageWalk.expectNewestFirst(
      store.list,
      ({ id }) => id,
      merchants.map(({ id }) => id).reverse(),
      FreshMerchant.make()
    )
  })
)

export const listsStatus = law(
  "lists the merchants of one status alone, as it is now, in pages of any size",
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const now = yield* Fresh.now
    const merchants = yield* Effect.forEach([3, 2, 1], (age) =>
      FreshMerchant.make({ at: Fresh.later(now, -age), status: "PENDING_REVIEW" })
    )
    const [third, second, first] = merchants
    if (first === undefined || second === undefined || third === undefined) return assert.fail("there are three")
    const found = (status: MerchantStatus | undefined, limit: number) =>
      Effect.map(
        PageWalk.all((page) => store.list(page, status), limit),
        (all) => all.map(({ id }) => id).filter((id) => merchants.some((one) => one.id === id))
      )
    assert.deepStrictEqual(yield* found("PENDING_REVIEW", 2), [first.id, second.id, third.id])
    assert.deepStrictEqual(yield* found("REJECTED", 100), [])
    yield* store.transition(changeOf(second, "REJECTED", now))
    assert.deepStrictEqual(yield* found("PENDING_REVIEW", 1), [first.id, third.id])
    assert.deepStrictEqual(yield* found("REJECTED", 100), [second.id])
    assert.deepStrictEqual(yield* found(undefined, 100), [first.id, second.id, third.id])
  })
)

export const laws = [
  keepsMerchant,
  knowsNoStranger,
  refusesTakenCode,
  findsByExternalId,
  refusesTakenExternalId,
  movesOnlyFrom,
  oneTransitionWins,
  savesSettings,
  savesOverItsOwn,
  listsNewestFirst,
  listsStatus
]

export const suite: (adapter: string, layer: Layer.Layer<MerchantStore, unknown>) => void = suiteOf(
  "MerchantStore",
  laws
)
