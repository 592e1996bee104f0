import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { NGN } from "@surety/core/Currency"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import type { Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import {
  type MovedBy,
  type MovingKind,
  type OperatorActionFilter,
  OperatorActionStore
} from "@surety/core/operator/OperatorActionStore"
import { type DateTime, Effect, Exit, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"

/** Builds an action on the merchant, by an actor with no other action. */
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

/** Moves an active merchant to the status `to`. Returns false if the merchant is not active. */
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
    const refused = yield* Effect.flip(store.commit(Effect.fail("no" as const), () => actionOn(merchant)))
    assert.strictEqual(refused, "no")
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

/**
 * Builds an action by which `actor` moves money, by default 1,000 minor units of NGN in LIVE. Its `changes` are the
 * amount and the currency, followed by the given ones.
 */
const movingAction = (
  merchant: Merchant,
  actor: string,
  {
    amountMinor = 1_000n,
    currency = "NGN",
    ...change
  }: Partial<OperatorAction> & {
    readonly amountMinor?: bigint
    readonly currency?: string
  }
): OperatorAction => ({
  ...actionOn(merchant),
  kind: "transfer.posted",
  environment: "LIVE",
  actor,
  ...change,
  changes: [
    { field: "amountMinor", to: amountMinor.toString() },
    { field: "currency", to: currency },
    ...(change.changes ?? [])
  ]
})

const both: ReadonlyArray<MovingKind> = ["transfer.posted", "payment.recorded"]

export const sumsWhatMovedAlone = law(
  "sums what the operator moved alone since then, in the currency, the environment and by the kinds asked for",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    // A host's actor names may contain letters that operators' names cannot. This name contains such a letter.
    const actor = Fresh.randomText("Ọla")
    const { createdAt } = merchant
    const of: MovedBy = { actor, kinds: both, environment: "LIVE", currency: NGN, since: createdAt }
    const movedAs = (asked: Partial<MovedBy> = {}) =>
      store.commitAlone({ ...of, ...asked }, Effect.succeed, () => undefined)
    assert.strictEqual(yield* movedAs(), 0n)
    const approved: OperatorAction = movingAction(merchant, actor, {
      changes: [{ field: "proposal", to: "proposal_1" }]
    })
    const kept: ReadonlyArray<OperatorAction> = [
      movingAction(merchant, actor, { amountMinor: 900_000_000_000_000n }),
      movingAction(merchant, actor.replace("la", "LA"), { amountMinor: 20n }),
      movingAction(merchant, actor, { amountMinor: 3n, kind: "payment.recorded" }),
      movingAction(merchant, actor, { amountMinor: 4_000n, at: Fresh.later(createdAt, -1) }),
      movingAction(merchant, actor, { amountMinor: 50_000n, currency: "USD" }),
      movingAction(merchant, actor, { amountMinor: 600_000n, environment: "TEST" }),
      movingAction(merchant, Fresh.randomText("obi"), { amountMinor: 7_000_000n }),
      movingAction(merchant, actor.replace("Ọ", "ọ"), { amountMinor: 80_000_000n }),
      { ...actionOn(merchant), actor, environment: "LIVE" },
      approved
    ]
    for (const action of kept) yield* store.commit(Effect.void, () => action)
    assert.strictEqual(yield* movedAs(), 900_000_000_000_023n)
    assert.strictEqual(yield* movedAs({ actor: actor.replace("la", "lA") }), 900_000_000_000_023n)
    const inOtherCase = actor.replace("Ọ", "ọ").replace("la", "LA")
    assert.strictEqual(yield* movedAs({ actor: inOtherCase }), 80_000_000n, "only A to Z have a letter case")
    assert.strictEqual(yield* movedAs({ kinds: ["transfer.posted"] }), 900_000_000_000_020n)
    assert.strictEqual(yield* movedAs({ since: Fresh.later(createdAt, -1) }), 900_000_000_004_023n)
    assert.strictEqual(yield* movedAs({ environment: "TEST" }), 600_000n)
    assertEquals(
      yield* Effect.flip(
        store.commitAlone(
          of,
          () => Effect.fail("no" as const),
          () => movingAction(merchant, actor, {})
        )
      ),
      "no"
    )
    assert.strictEqual(yield* movedAs(), 900_000_000_000_023n, "what fails is not kept")
  })
)

export const oneAloneAfterAnother = law(
  "runs what one operator moves alone one after the other, each knowing of those before",
  Effect.gen(function* () {
    const store = yield* OperatorActionStore
    const merchant = yield* FreshMerchant.make()
    const actor = Fresh.randomText("ada")
    const of: MovedBy = { actor, kinds: both, environment: "LIVE", currency: NGN, since: merchant.createdAt }
    const moves = Array.from({ length: 8 }, (_, index) => {
      const at = Fresh.later(merchant.createdAt, index)
      const name = index % 2 === 0 ? actor : actor.toUpperCase()
      const action = movingAction(merchant, name, { id: Fresh.operatorActionId(at), at })
      // Only three moves of 1,000 fit below 4,000. Each change yields after reading the total, so more than three would
      // succeed if the changes ran concurrently.
      const change = (movedMinor: bigint) =>
        Effect.andThen(Effect.yieldNow, movedMinor + 1_000n >= 4_000n ? Effect.fail("full" as const) : Effect.void)
      return Effect.match(
        store.commitAlone({ ...of, actor: name }, change, () => action),
        {
          onFailure: () => [],
          onSuccess: () => [action]
        }
      )
    })
    const won = (yield* Effect.all(moves, { concurrency: "unbounded" })).flat()
    assert.lengthOf(won, 3)
    const stored = yield* listed({ merchantId: merchant.id })
    assertEquals(new Set(stored.map(({ id }) => id)), new Set(won.map(({ id }) => id)))
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

export const laws = [
  keepsActionWithChange,
  keepsNoneOfRefusal,
  keepsOneOfEach,
  sumsWhatMovedAlone,
  oneAloneAfterAnother,
  filters,
  listsNewestFirst
]

export const suite: (adapter: string, layer: Layer.Layer<OperatorActionStore | MerchantStore, unknown>) => void =
  suiteOf("OperatorActionStore", laws)
