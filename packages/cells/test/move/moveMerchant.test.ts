import { assert, it } from "@effect/vitest"
import { CellDatabase } from "@surety/cells/CellDatabase"
import * as CellStores from "@surety/cells/CellStores"
import { Cells, PlaceTtl } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { abortMove } from "@surety/cells/move/abortMove"
import { MoveFailed, MoveRefused, type MoveStep, moveSteps } from "@surety/cells/move/MoveFailed"
import { type MoveOptions, moveMerchant } from "@surety/cells/move/moveMerchant"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as PageWalk from "@surety/testing/PageWalk"
import * as Past from "@surety/testing/Past"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Ref, Schema } from "effect"
import * as TestCells from "../TestCells.js"
import { atOnce, beside, heldIn, holders, killedAfter, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const isRefused = Schema.is(MoveRefused)

/** Steps after which the merchant has arrived, and the move can only be completed. */
const arrived: ReadonlyArray<MoveStep> = moveSteps.slice(moveSteps.indexOf("arrived"))

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a merchant's move", (it) => {
  it.effect("brings all that the ports say of it, and leaves nothing", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const neighbour = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      const beside = yield* Shop.view(neighbour)
      const held = (yield* Shop.events(shop)).at(-1)?.id
      const log = yield* OverviewLog
      const since = Fresh.later(yield* Fresh.now, -120 * FreshEvent.minute)
      const countAt = (minutes: number) =>
        Effect.flatMap(Fresh.now, (now) =>
          log.countHours({ now: Fresh.later(now, minutes * FreshEvent.minute), since }, 10)
        )
      const hours = Effect.all([log.hours({ environment: "LIVE", since }), log.hours({ environment: "TEST", since })])
      yield* countAt(1)
      const counted = yield* hours
      assert.isNotEmpty(counted[1], "something has happened")
      const moved = yield* move(shop)
      assert.strictEqual(moved.from, east)
      assert.isAbove(moved.rows, 30)
      assert.isTrue(Option.isSome(moved.refusedFor))
      assert.deepStrictEqual(yield* holders(shop), [west])
      assert.strictEqual(yield* Shop.cellOf(shop.merchant), west)
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      assert.deepStrictEqual(yield* Shop.view(neighbour), beside)
      assert.deepStrictEqual(yield* (yield* CellDirectory).moves, [])
      yield* sound
      assert.deepStrictEqual(yield* hours, counted, "each fact is counted in one cell")
      yield* countAt(2)
      assert.deepStrictEqual(yield* hours, counted, "and counting again changes nothing")

      const again = yield* RefundAttempt.make(shop.scope, shop.sale.payment, {
        amountMinor: 700n,
        key: shop.idempotencyKey
      })
      assert.strictEqual(RefundAttempt.nameOf(again), "Replay")
      const { refund } = yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 200n })
      const later = yield* Shop.events(shop, held)
      assert.strictEqual(later.length, 1, "the cursor goes on to what is stored in the other cell, and to that alone")
      assert.isTrue(
        (later[0]?.sequence ?? "") > (before.events[0]?.sequence ?? ""),
        "and it is ordered behind the rest"
      )
      assert.isTrue(Option.isSome(yield* (yield* RefundStore).find(shop.scope, refund.id)))
    })
  )

  it.effect("has its events followed in the end, although another transaction of the server is older", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = (yield* Shop.events(shop)).length
      const ended = yield* heldIn(west, "select pg_current_xact_id()::text")
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      const following = yield* Effect.forkChild(Shop.events(shop))
      yield* Effect.sleep("100 millis")
      assert.isUndefined(following.pollUnsafe(), "the last one is not listed yet")
      yield* ended
      assert.lengthOf(yield* Fiber.join(following), before + 1)
    }).pipe(Effect.scoped)
  )

  it.effect("and back again, under other numbers of accounts", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      yield* move(shop)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 100n })
      const between = (yield* Shop.events(shop)).at(-1)?.id
      yield* move(shop, east)
      const after = yield* Shop.view(shop)
      assert.strictEqual(after.refunds.length, before.refunds.length + 1)
      assert.deepStrictEqual(yield* holders(shop), [east])
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 100n })
      assert.strictEqual((yield* Shop.events(shop, between)).length, 1)
      yield* sound
    })
  )

  it.effect("loses and doubles nothing of refunds, reads and webhooks that go on meanwhile", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const neighbour = yield* Shop.make(east)
      const stop = yield* Ref.make(false)
      const begun = yield* Deferred.make<void>()
      const sent = yield* Ref.make<ReadonlyArray<string>>([])
      const keys = yield* Ref.make<ReadonlyArray<ReturnType<typeof Fresh.idempotencyKey>>>([])
      const refused = yield* Ref.make(0)
      const queue = yield* DeliveryQueue

      const refunding = (of: Shop.Shop, onRefused: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const key = Fresh.idempotencyKey()
          const exit = yield* Effect.exit(RefundAttempt.make(of.scope, of.sale.payment, { amountMinor: 1n, key }))
          if (Exit.isFailure(exit)) return yield* onRefused
          assert.strictEqual(RefundAttempt.nameOf(exit.value), "Execute")
          yield* Deferred.succeed(begun, undefined)
          if (of === shop) yield* Ref.update(keys, (known) => [...known, key])
        }).pipe(Effect.andThen(Effect.sleep("2 millis")), Effect.repeat({ until: () => Ref.get(stop) }))

      const reading = Effect.gen(function* () {
        assert.isTrue(Option.isSome(yield* (yield* MerchantStore).find(shop.merchant.id)), "reads go on")
        assert.isTrue(Option.isSome(yield* (yield* RefundStore).find(shop.scope, shop.refund.refund.id)))
      }).pipe(Effect.andThen(Effect.sleep("3 millis")), Effect.repeat({ until: () => Ref.get(stop) }))

      const sending = Effect.gen(function* () {
        const now = yield* Fresh.now
        for (const due of yield* FreshEvent.claim(now, { limit: 8 })) {
          yield* Ref.update(sent, (known) => [...known, due.delivery.id])
          yield* queue.settle(due, FreshEvent.attemptOf(due, now), { _tag: "Delivered" })
        }
      }).pipe(Effect.andThen(Effect.sleep("2 millis")), Effect.repeat({ until: () => Ref.get(stop) }))

      const neighbourRefused = yield* Ref.make(0)
      const work = yield* Effect.forkChild(
        Effect.all(
          [
            refunding(
              shop,
              Ref.update(refused, (count) => count + 1)
            ),
            refunding(
              neighbour,
              Ref.update(neighbourRefused, (count) => count + 1)
            ),
            reading,
            sending
          ],
          { concurrency: "unbounded", discard: true }
        )
      )
      yield* Deferred.await(begun)
      const atStart = (yield* Shop.events(shop)).map(({ id }) => id)
      yield* move(shop, west, {
        // Stays at step `closed` until a write has been refused.
        onStep: (step) =>
          step === "closed"
            ? Effect.repeat(Effect.sleep("5 millis"), {
                until: () => Effect.map(Ref.get(refused), (count) => count > 0)
              })
            : Effect.void
      })
      const done = (yield* Ref.get(keys)).length
      yield* Effect.repeat(Effect.sleep("5 millis"), {
        until: () => Effect.map(Ref.get(keys), (known) => known.length > done + 3)
      })
      yield* Ref.set(stop, true)
      yield* Fiber.join(work)

      assert.strictEqual(yield* Ref.get(neighbourRefused), 0, "another merchant's refunds go on")
      const refunds = yield* PageWalk.all(
        (page) => Effect.flatMap(RefundStore, (store) => store.list(shop.scope, { paymentId: undefined }, page)),
        100
      )
      const accepted = yield* Ref.get(keys)
      assert.strictEqual(refunds.length, accepted.length + 2, "each accepted refund is there once")
      for (const key of accepted.slice(-5)) {
        const again = yield* RefundAttempt.make(shop.scope, shop.sale.payment, { amountMinor: 1n, key })
        assert.strictEqual(RefundAttempt.nameOf(again), "Replay")
      }
      const all = (yield* Shop.events(shop)).map(({ id }) => id)
      assert.deepStrictEqual(all.slice(0, atStart.length), atStart, "the order is kept")
      assert.strictEqual(new Set(all).size, all.length)
      const now = Fresh.later(yield* Fresh.now, FreshEvent.minute)
      yield* Effect.repeat(
        Effect.gen(function* () {
          const due = yield* FreshEvent.claim(now)
          for (const one of due) {
            yield* Ref.update(sent, (known) => [...known, one.delivery.id])
            yield* queue.settle(one, FreshEvent.attemptOf(one, now), { _tag: "Delivered" })
          }
          return due.length
        }),
        { until: (count) => count === 0 }
      )
      const ids = yield* Ref.get(sent)
      assert.strictEqual(new Set(ids).size, ids.length, "no webhook was sent by both cells")
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    })
  )

  it.effect("is refused to a cell that is not there, to its own, and of an unknown merchant", () =>
    Effect.gen(function* () {
      const merchant = yield* Shop.merchantIn(east)
      const stranger = yield* FreshMerchant.unstored()
      const refused = <A, E, R>(attempt: Effect.Effect<A, E | MoveRefused, R>) =>
        Effect.map(Effect.flip(attempt), (error) => assert.isTrue(isRefused(error), String(error)))
      yield* refused(moveMerchant(merchant.id, Shop.nowhere))
      yield* refused(moveMerchant(merchant.id, east))
      yield* refused(moveMerchant(stranger.id, west))
      yield* refused(abortMove(merchant.id))
      yield* refused(abortMove(merchant.id, Shop.nowhere))
      yield* refused(moveMerchant(merchant.id, west, { ...atOnce, longestStop: Duration.zero }))
      assert.strictEqual(yield* Shop.cellOf(merchant), east)
      assert.deepStrictEqual(yield* holders({ merchant }), [east])
      yield* refused(abortMove(merchant.id))
      yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(merchant) })
    })
  )

  it.effect("fails once another run has taken it over, and the other one ends it", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const context = yield* Effect.context<Cells | CellDirectory>()
      const second = Effect.orDie(Effect.asVoid(Effect.provideContext(move(shop), context)))
      const first = yield* Effect.exit(
        move(shop, west, { onStep: (step) => (step === "compared" ? second : Effect.void) })
      )
      assert.isTrue(Exit.isFailure(first))
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* sound
    })
  )

  it.effect("keeps what was claimed before: it is settled in the other cell under the same lease", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const now = Fresh.later(yield* Fresh.now, FreshEvent.minute)
      const mine = (yield* FreshEvent.claim(now, { leasedUntil: Fresh.later(now, 60 * FreshEvent.minute) })).filter(
        ({ delivery }) => delivery.merchantId === shop.merchant.id
      )
      const [due] = mine
      if (due === undefined) return assert.fail("a delivery is due")
      const leased = yield* (yield* KycStore).lease(
        shop.verification.verification.id,
        Fresh.later(now, 60 * FreshEvent.minute),
        Fresh.later(now, 120 * FreshEvent.minute)
      )
      yield* move(shop, west, { drainFor: Duration.zero })
      const queue = yield* DeliveryQueue
      const claimed = yield* FreshEvent.claim(Fresh.later(now, FreshEvent.minute))
      assert.notInclude(
        claimed.map(({ delivery }) => delivery.id),
        due.delivery.id,
        "the lease holds there"
      )
      const recorded = yield* queue.settle(due, FreshEvent.attemptOf(due, now), { _tag: "Delivered" })
      assert.isDefined(recorded.applied)
      assert.isTrue(Option.isSome(leased))
    })
  )
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move that fails", (it) => {
  it.effect("lets the merchant write again where it was", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      const fails = (step: MoveStep): MoveOptions => ({
        onStep: (done) => (done === step ? Effect.die(new Error(`fails after ${step}`)) : Effect.void)
      })
      for (const step of ["closed", "complete"] as const) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(move(shop, west, fails(step)))))
        assert.deepStrictEqual(yield* Shop.view(shop), before)
      }
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    })
  )
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move beside another run", (it) => {
  it.effect("puts off nothing once it was given up: what was due is due", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      for (const step of ["caughtUp", "parked", "closing", "closed"] as const) {
        assert.isTrue(Exit.isFailure(yield* beside(shop, step, abortMove(shop.merchant.id))), step)
        assert.deepStrictEqual(yield* Shop.view(shop), before, step)
        assert.deepStrictEqual(yield* holders(shop), [east])
        const parked = yield* Effect.scoped(
          Effect.gen(function* () {
            const { moves, sql } = Context.get(yield* TestCells.storesOf(east), CellDatabase)
            return yield* sql.unsafe(`select 1 from "${moves}".parked where merchant_id = $1`, [
              toUuid(shop.merchant.id)
            ])
          })
        )
        assert.lengthOf(parked, 0, step)
      }
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* move(shop)
      yield* sound
    })
  )

  it.effect("deletes nothing of a merchant that came back while it slept", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      const thereAndBack = Effect.andThen(move(shop), move(shop, east))
      assert.isTrue(Exit.isFailure(yield* beside(shop, "started", thereAndBack)))
      assert.deepStrictEqual(yield* holders(shop), [east])
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* sound
    })
  )

  it.effect("lets no wallet be drawn on while two cells have a part of it, and then what it holds", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const payments = yield* PaymentStore
      const neighbour = FreshMerchant.scopeOf(yield* Shop.merchantIn(west))
      const { consumer } = shop
      const drawn = Effect.fnUntraced(function* (amountMinor: bigint) {
        const { payment } = yield* FreshPayment.unstored({ scope: neighbour, consumer, amountMinor })
        return yield* payments.record(FreshPayment.fromBalanceOf(payment))
      })
      const held = (yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(shop.sale))) ?? 0n
      assert.isAbove(Number(held), 0)
      const tried: Array<Exit.Exit<unknown, StoreError>> = []
      const context = yield* Effect.context<MerchantStore | ConsumerStore>()
      for (const step of ["arrived", "started"] as const) {
        const draw = Effect.map(Effect.exit(drawn(held + 1n)), (exit) => tried.push(exit))
        yield* beside(shop, step, Effect.provideContext(draw, context))
        yield* move(shop, east)
      }
      assert.deepStrictEqual(
        tried.map((exit) => Exit.isFailure(exit)),
        [true, true]
      )
      assert.strictEqual(yield* drawn(held + 1n), "balance_too_small")
      assert.strictEqual(yield* drawn(held), "recorded")
      yield* sound
    })
  )
})

const beforeArrival = moveSteps.slice(0, moveSteps.indexOf("arrived"))
const halves = [beforeArrival.slice(1, 6), beforeArrival.slice(6)]

it.layer(layer, { timeout: 180_000, excludeTestServices: true })(
  "a process that is killed as it moves a merchant",
  (it) => {
    it.effect.each(halves)("leaves a move that can be given up", (steps) =>
      Effect.gen(function* () {
        const shop = yield* Shop.make(east)
        const before = yield* Shop.view(shop)
        const first = yield* Shop.events(shop)
        for (const step of steps) {
          yield* killedAfter(shop, step)
          const { to } = yield* abortMove(shop.merchant.id)
          assert.strictEqual(to, west)
          assert.deepStrictEqual(yield* holders(shop), [east], step)
          assert.deepStrictEqual(yield* Shop.events(shop), first, step)
        }
        assert.deepStrictEqual(yield* Shop.view(shop), before)
        yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
        assert.deepStrictEqual(yield* (yield* CellDirectory).moves, [])
        yield* sound
      }).pipe(Effect.scoped)
    )

    it.effect.each([...halves, arrived])("leaves a move that the next call goes on with", (steps) =>
      Effect.gen(function* () {
        const shop = yield* Shop.make(east)
        const before = yield* Shop.view(shop)
        for (const step of steps) {
          yield* killedAfter(shop, step)
          const found = yield* Effect.flatMap(RefundStore, (store) => store.find(shop.scope, shop.refund.refund.id))
          assert.isTrue(Option.isSome(found), `reads go on after ${step}`)
        }
        assert.strictEqual(Option.isNone((yield* move(shop)).refusedFor), steps === arrived)
        assert.deepStrictEqual(yield* Shop.view(shop), before)
        assert.deepStrictEqual(yield* holders(shop), [west])
        assert.deepStrictEqual(yield* (yield* CellDirectory).moves, [])
        yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
        yield* sound
      }).pipe(Effect.scoped)
    )
  }
)

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a process that has not heard of a move", (it) => {
  it.effect("writes into the former cell neither while it goes on nor after", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const directory = yield* CellDirectory
      const place = Option.some({ cell: east, isConfirmed: true, isMoving: false })
      const unaware = yield* Layer.build(
        Layer.fresh(CellStores.layer).pipe(
          Layer.provide(Layer.succeed(CellDirectory, { ...directory, find: () => Effect.succeed(place) })),
          Layer.provide(Layer.succeed(Cells, yield* Cells))
        )
      )
      const sale = yield* FreshPayment.unstored({ scope: shop.scope, consumer: shop.consumer })
      const pay = Effect.flatMap(PaymentStore, (store) =>
        store.record(FreshPayment.settlementOf({ ...sale.payment, id: Fresh.paymentId(sale.payment.createdAt) }))
      )
      const refund = RefundAttempt.make(shop.scope, shop.sale.payment, { amountMinor: 1n })
      const refusedBy = Effect.fnUntraced(function* (
        write: Effect.Effect<unknown, StoreError, PaymentStore | RefundStore>
      ) {
        const error = yield* Effect.flip(Effect.provideContext(write, unaware))
        assert.strictEqual(error.reason._tag, "StoreUnavailable", "it may be tried again")
      })
      yield* move(shop, west, {
        onStep: (step) =>
          step === "closed" ? Effect.orDie(Effect.andThen(refusedBy(pay), refusedBy(refund))) : Effect.void
      })
      yield* refusedBy(pay)
      assert.notStrictEqual(RefundAttempt.nameOf(yield* Effect.provideContext(refund, unaware)), "Execute")
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    }).pipe(Effect.scoped)
  )
})

const servers = Layer.provideMerge(
  Past.layer,
  Layer.provide(TestCells.twoServers, Layer.succeed(PlaceTtl, Duration.zero))
)

it.layer(servers, { timeout: 180_000, excludeTestServices: true })("two PostgreSQL servers", (it) => {
  it.effect("hand a merchant over, and back", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(west)
      const before = yield* Shop.view(shop)
      yield* move(shop, east)
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      const held = (yield* Shop.events(shop)).at(-1)?.id
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* move(shop, west)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      assert.strictEqual((yield* Shop.events(shop, held)).length, 2)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    })
  )
})

it("names a step in each failure", () => {
  assert.include(new MoveFailed({ step: "closed", detail: "why" }).message, "closed")
})
