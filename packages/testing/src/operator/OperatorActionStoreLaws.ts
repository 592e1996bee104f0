import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import type { Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { type OperatorActionFilter, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { type DateTime, Effect, Exit, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"

/** An action on the merchant, of an actor that no other law has. */
const actionOn = ({ createdAt, id }: Merchant, at: DateTime.Utc = createdAt): OperatorAction => ({
  id: Fresh.operatorActionId(at),
  actor: Fresh.randomText("ada"),
  kind: "merchant.status_changed",
  target: id,
  merchantId: id,
  changes: [],
  at
})

const anyAction: OperatorActionFilter = {
  actor: undefined,
  kind: undefined,
  target: undefined,
  merchantId: undefined,
  serviceId: undefined,
  since: undefined,
  until: undefined
}

const listed = Effect.fnUntraced(function* (filter: Partial<OperatorActionFilter>) {
  const store = yield* OperatorActionStore
  return yield* PageWalk.all((page) => store.list({ ...anyAction, ...filter }, page), 3)
})

/** Moves an active merchant. */
const moving = Effect.fnUntraced(function* ({ createdAt, id }: Merchant, to: MerchantStatus) {
  const merchants = yield* MerchantStore
  return yield* merchants.transition({ merchantId: id, from: "ACTIVE", to, actor: "ada", at: createdAt })
})

const statusOf = Effect.fnUntraced(function* ({ id }: Merchant) {
  const merchants = yield* MerchantStore
  return Option.getOrThrow(yield* merchants.find(id)).status
})

export const keepsActionWithChange = law(
  "keeps a change and all that its action says",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const plain = actionOn(merchant)
    const full: OperatorAction = {
      ...actionOn(merchant, Fresh.later(merchant.createdAt, 1)),
      environment: "LIVE",
      serviceId: yield* Fresh.withRandom(ConsumerId.next),
      reason: 'Zoë asked: "both"',
      changes: [
        { field: "status", from: "ACTIVE", to: "SUSPENDED" },
        { field: "refundsEnabled", from: true, to: false },
        { field: "purpose", from: null, to: "to ship" },
        { field: "email", fromHash: "9f" }
      ]
    }
    assert.isTrue(yield* store.commit(moving(merchant, "SUSPENDED"), () => full))
    assert.strictEqual(yield* statusOf(merchant), "SUSPENDED")
    assert.strictEqual(yield* store.commit(Effect.succeed("as it is"), () => plain), "as it is")
    assertEquals([...(yield* listed({ merchantId: merchant.id }))], [full, plain])
  })
)

export const keepsNoneOfRefusal = law(
  "keeps no action of a change that fails, or that has none",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const refused = yield* Effect.exit(store.commit(Effect.fail("no" as const), () => actionOn(merchant)))
    assertEquals(refused, Exit.fail("no" as const))
    const died = yield* Effect.exit(store.commit(Effect.die(new Error("broken")), () => actionOn(merchant)))
    assert.isTrue(Exit.isFailure(died))
    assert.isTrue(yield* store.commit(moving(merchant, "SUSPENDED"), () => undefined))
    assert.strictEqual(yield* statusOf(merchant), "SUSPENDED")
    assertEquals([...(yield* listed({ merchantId: merchant.id }))], [])
  })
)

export const keepsOneOfEach = law(
  "keeps exactly one action of the change that wins among many at once",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const won = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => actionOn(merchant, Fresh.later(merchant.createdAt, index))),
      (action) =>
        Effect.map(
          store.commit(moving(merchant, "SUSPENDED"), (moved) => (moved ? action : undefined)),
          (moved) => (moved ? [action] : [])
        ),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(won.flat(), 1)
    assertEquals([...(yield* listed({ merchantId: merchant.id }))], won.flat())
  })
)

export const filters = law(
  "lists the actions that have every value asked for",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const serviceId = yield* Fresh.withRandom(ConsumerId.next)
    const later = Fresh.later(merchant.createdAt, 1_000)
    const moved = actionOn(merchant)
    const linked: OperatorAction = { ...actionOn(merchant, later), kind: "link.created", target: serviceId, serviceId }
    const bystander = actionOn(yield* FreshMerchant.make(), merchant.createdAt)
    for (const action of [moved, linked, bystander]) yield* store.commit(Effect.void, () => action)
    const own = { merchantId: merchant.id }
    assertEquals([...(yield* listed(own))], [linked, moved])
    assertEquals([...(yield* listed({ actor: moved.actor }))], [moved])
    assertEquals([...(yield* listed({ ...own, kind: "link.created" }))], [linked])
    assertEquals([...(yield* listed({ target: serviceId }))], [linked])
    assertEquals([...(yield* listed({ serviceId }))], [linked])
    assertEquals([...(yield* listed({ ...own, since: later }))], [linked], "since is inclusive")
    assertEquals([...(yield* listed({ ...own, until: later }))], [moved], "until is exclusive")
    assertEquals([...(yield* listed({ ...own, actor: bystander.actor }))], [])
  })
)

export const listsNewestFirst = law(
  "lists actions newest first, in pages that skip and repeat nothing while actions are added",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const actions = [5, 4, 3, 2, 1, 1].map((age) => actionOn(merchant, Fresh.later(merchant.createdAt, -age)))
    for (const action of actions) yield* store.commit(Effect.void, () => action)
    const [first, second] = actions.slice(4).sort((a, b) => (a.id < b.id ? 1 : -1))
    const expected = [first, second, ...actions.slice(0, 4).reverse()].flatMap((action) => (action ? [action.id] : []))
    const added = Effect.suspend(() =>
      store.commit(Effect.void, () => actionOn(merchant, Fresh.later(merchant.createdAt, 1)))
    )
    yield* PageWalk.expectNewestFirst(
      (page) => store.list({ ...anyAction, merchantId: merchant.id }, page),
      ({ id }) => id,
      expected,
      added
    )
  })
)

export const laws = [keepsActionWithChange, keepsNoneOfRefusal, keepsOneOfEach, filters, listsNewestFirst]

/** The laws of `OperatorActionStore`. */
export const suite: (adapter: string, layer: Layer.Layer<OperatorActionStore | MerchantStore, unknown>) => void =
  suiteOf("OperatorActionStore", laws)
