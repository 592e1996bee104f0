import { assert, it } from "@effect/vitest"
import type { Cells } from "@surety/cells/Cells"
import type { CellDirectory } from "@surety/cells/directory/CellDirectory"
import type { MoveStep } from "@surety/cells/move/MoveFailed"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { decideSend } from "@surety/core/consent/admission/decideCode"
import { dataChanged } from "@surety/core/consent/ConsentEvents"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import type { StorePorts } from "@surety/core/StorePorts"
import * as Attempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshProposal from "@surety/testing/operator/FreshProposal"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Option } from "effect"
import * as TestCells from "../TestCells.js"
import { holders, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

/** Moves the shop, running other work after a step. Asserts that only the western cell has the shop afterwards. */
const during = Effect.fnUntraced(function* <A, E>(
  shop: Shop.Shop,
  step: MoveStep,
  act: Effect.Effect<A, E, StorePorts | Cells | CellDirectory>
) {
  const context = yield* Effect.context<StorePorts | Cells | CellDirectory>()
  const once = Effect.orDie(Effect.asVoid(Effect.provideContext(act, context)))
  yield* move(shop, west, { onStep: (done) => (done === step ? once : Effect.void) })
  assert.deepStrictEqual(yield* holders(shop), [west])
})

const linkOf = Effect.fnUntraced(function* ({ scope }: Shop.Shop) {
  const { link } = yield* Attempt.askedAnew(scope, yield* FreshConsumer.linkedTo(scope))
  return link?.tokenHash ?? assert.fail("the person is asked")
})

/** Steps after which both cells have the rows and the directory names the new cell. */
const inBoth: ReadonlyArray<MoveStep> = ["switched", "started"]

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("while a cell still has a merchant's rows", (it) => {
  it.effect("codes of its links are counted in the other one", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const codes = yield* CodeChallengeStore
      const tokenHash = yield* linkOf(shop)
      const now = yield* Fresh.now
      const hash = (step: string) => Fingerprint.make(`k1.${step}`)
      const stored = codes.change(tokenHash, (current) => ({ answer: current?.codeHash, next: undefined }))
      for (const step of inBoth) {
        yield* during(
          shop,
          step,
          codes.change(tokenHash, (current) => decideSend(current, hash(step), now))
        )
        assert.strictEqual(yield* stored, hash(step))
        yield* move(shop, east)
      }
      yield* sound
    })
  )

  it.effect("a notice is recorded in the other one, and not sent again", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const upkeep = yield* ConsentUpkeep
      const { request } = yield* Attempt.askedAnew(shop.scope, yield* FreshConsumer.linkedTo(shop.scope))
      const now = Fresh.later(yield* Fresh.now, FreshEvent.minute)
      const claim = { now, againAt: Fresh.later(now, FreshEvent.minute), limit: 10, id: request.id }
      assert.lengthOf(yield* upkeep.claimNotifications(claim), 1)
      yield* during(shop, "started", upkeep.recordNotified(request.id))
      const late = Fresh.later(now, 10 * FreshEvent.minute)
      assert.lengthOf(yield* upkeep.claimNotifications({ ...claim, now: late }), 0)
      const { request: other } = yield* Attempt.askedAnew(shop.scope, yield* FreshConsumer.linkedTo(shop.scope))
      yield* move(shop, east)
      yield* during(shop, "started", upkeep.putOffNotification(other.id, late))
      assert.lengthOf(yield* upkeep.claimNotifications({ ...claim, id: other.id }), 0)
      assert.lengthOf(yield* upkeep.claimNotifications({ ...claim, id: other.id, now: late }), 1)
    })
  )

  it.effect("a proposal is approved, begun or refused in the other one, and seen as it is there", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const store = yield* ProposalStore
      const proposed = Effect.gen(function* () {
        const proposal = FreshProposal.payoutOf(shop.sale)
        yield* store.propose(FreshProposal.planOf(proposal))
        return proposal
      })
      const [approved, refused, begun] = [yield* proposed, yield* proposed, yield* proposed]
      const statusOf = ({ id }: { readonly id: typeof approved.id }) =>
        Effect.map(store.find("LIVE", id), (found) => Option.getOrUndefined(found)?.status)
      yield* during(
        shop,
        "started",
        Effect.gen(function* () {
          const carried = yield* store.carryOut(FreshProposal.decisionOn(approved), FreshProposal.paying)
          assert.isTrue(Option.isSome(carried))
          assert.isTrue(Option.isSome(yield* store.refuse(FreshProposal.decisionOn(refused), "no", "KEEP_BEGUN")))
          assert.isTrue(yield* store.begin(FreshProposal.decisionOn(begun)))
          assert.deepStrictEqual([yield* statusOf(approved), yield* statusOf(refused)], ["APPROVED", "REFUSED"])
        })
      )
      assert.deepStrictEqual([yield* statusOf(approved), yield* statusOf(refused)], ["APPROVED", "REFUSED"])
      yield* sound
    })
  )

  it.effect("a link's request, a consent and a refund are decided on and seen as they are in the other one", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const log = yield* ConsentLog
      const refunds = yield* RefundStore
      const { link, request } = yield* Attempt.askedAnew(shop.scope, yield* FreshConsumer.linkedTo(shop.scope))
      const tokenHash = link?.tokenHash ?? assert.fail("the person is asked")
      const pending = yield* Effect.map(
        refunds.list(shop.scope, { paymentId: shop.sale.payment.id }, { limit: 10, cursor: undefined }),
        ({ data }) => data.find(({ status }) => status === "PENDING") ?? assert.fail("a refund is pending")
      )
      yield* during(
        shop,
        "started",
        Effect.gen(function* () {
          yield* Attempt.decided(request.id, Attempt.approveAll)
          const target = { id: request.id, scope: undefined }
          assert.strictEqual(Option.getOrThrow(yield* log.findRequest(target)).status, "APPROVED")
          assert.strictEqual(Option.getOrThrow(yield* log.findByToken(tokenHash)).request.status, "APPROVED")
          const now = Fresh.later(yield* Fresh.now, FreshEvent.minute)
          const leased = yield* refunds.lease(pending.id, now, Fresh.later(now, FreshEvent.minute))
          assert.isTrue(Option.isSome(leased), "the refund is leased in the other cell")
          assert.deepStrictEqual(
            Option.getOrThrow(yield* refunds.findAny(pending.id)),
            Option.getOrThrow(yield* refunds.find(shop.scope, pending.id))
          )
        })
      )
      yield* sound
    })
  )

  it.effect("a person with a grant of the merchant's is not erased, and is afterwards", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const person = yield* FreshConsumer.linkedTo(shop.scope)
      const { request } = yield* Attempt.askedAnew(shop.scope, person)
      yield* Attempt.decided(request.id, Attempt.approveAll)
      for (const step of inBoth) {
        yield* during(
          shop,
          step,
          Effect.gen(function* () {
            const refused = yield* Effect.flip(ErasureAttempt.decide(person))
            assert.strictEqual(refused.reason._tag, "StoreUnavailable")
          })
        )
        yield* move(shop, east)
      }
      yield* ErasureAttempt.erased(person)
      yield* sound
    })
  )

  it.effect("a person with a grant of the merchant's is corrected, and each event stored once", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const { grant } = yield* Attempt.given(shop.scope, shop.consumer, { purpose: "another" })
      const consumers = yield* ConsumerStore
      const log = yield* ConsentLog
      const listing = { merchantId: undefined, environment: "LIVE" as const }
      const { serviceId, userId } = shop.consumer
      const current = Effect.map(consumers.findByServiceId("LIVE", serviceId), Option.getOrThrow)
      const corrected = (country: string) =>
        Effect.gen(function* () {
          const before = yield* current
          const { data } = yield* log.listGrants(listing, { userId }, { limit: 10, cursor: undefined })
          const grants = data.filter(({ status }) => status === "ACTIVE")
          const event = yield* Fresh.withRandom(dataChanged(shop.scope, serviceId, [IdentityField.make("country")]))
          assert.isTrue(yield* consumers.change(before, { ...before, country }, [event], grants))
          assert.isTrue(Option.isSome(yield* (yield* EventLog).find(shop.scope, event.id)))
        })
      for (const [step, country] of [
        ["switched", "GH"],
        ["started", "KE"]
      ] as const) {
        if (step === "switched") yield* during(shop, step, corrected(country))
        else yield* during(shop, step, Effect.andThen(Attempt.revoked(grant), corrected(country)))
        assert.strictEqual((yield* current).country, country)
        yield* move(shop, east)
      }
      yield* sound
    })
  )
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move beside retention", (it) => {
  it.effect("leaves behind what is deleted with a delivery, or a link, that was copied", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const queue = yield* DeliveryQueue
      const codes = yield* CodeChallengeStore
      const upkeep = yield* ConsentUpkeep
      const now = Fresh.later(yield* Fresh.now, FreshEvent.minute)
      const due = yield* FreshEvent.claim(now)
      for (const one of due) yield* queue.settle(one, FreshEvent.attemptOf(one, now), { _tag: "Delivered" })
      const { link, request } = yield* Attempt.askedAnew(shop.scope, yield* FreshConsumer.linkedTo(shop.scope))
      const tokenHash = link?.tokenHash ?? assert.fail("the person is asked")
      yield* Attempt.decided(request.id, Attempt.deny)
      yield* codes.change(tokenHash, (current) => decideSend(current, Fingerprint.make("k1.one"), now))
      const later = Fresh.later(now, 48 * 60 * FreshEvent.minute)
      const retention = yield* RetentionStore
      const taken = Effect.gen(function* () {
        assert.isAtLeast(yield* retention.take("deliveries", later, 1_000), due.length)
        assert.isAtLeast(yield* upkeep.forgetAnswers(later, 1_000), 1)
        yield* codes.forget(later, 1_000)
      })
      yield* during(shop, "copied", taken)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* sound
    })
  )
})
