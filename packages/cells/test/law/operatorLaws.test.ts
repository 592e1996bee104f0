import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { CellName } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { HostRequestOutcome } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { Merchant } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonStore } from "@surety/core/person/PersonStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as Fresh from "@surety/testing/FreshIds"
import { newRequest } from "@surety/testing/host/FreshHostRequest"
import * as FreshOperatorTransfer from "@surety/testing/ledger/FreshOperatorTransfer"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshProposal from "@surety/testing/operator/FreshProposal"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Context, Effect, Exit, Option } from "effect"
import * as TestCells from "../TestCells.js"

const { east, west } = TestCells

const merchantIn = Effect.fnUntraced(function* (cell: CellName) {
  const directory = yield* CellDirectory
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const merchant = yield* FreshMerchant.make()
    const place = yield* directory.find(merchant.id)
    if (Option.isSome(place) && place.value.cell === cell) return merchant
  }
  return assert.fail("merchants are spread over both cells")
})

const actionOn = (target: string, at: Merchant["createdAt"], more: Partial<OperatorAction> = {}): OperatorAction => ({
  id: Fresh.operatorActionId(at),
  actor: Fresh.randomText("ada"),
  kind: "merchant.status_changed",
  target,
  changes: [],
  at,
  ...more
})

const actionsIn = Effect.fnUntraced(function* (cell: CellName, actor: string) {
  const stores = yield* TestCells.storesOf(cell)
  const none = { kind: undefined, target: undefined, merchantId: undefined, serviceId: undefined }
  const filter = { ...none, actor, since: undefined, until: undefined }
  return (yield* Context.get(stores, OperatorActionStore).list(filter, { limit: 10, cursor: undefined })).data
}, Effect.scoped)

const unavailable = new StoreError({
  operation: "test",
  reason: new StoreUnavailable({ cause: new Error("the process died") })
})

it.layer(TestCells.twoSchemas, { timeout: 120_000, excludeTestServices: true })("operators over two cells", (it) => {
  it.effect("have an action in the cell of its change, whichever that is", () =>
    Effect.gen(function* () {
      const actions = yield* OperatorActionStore
      const merchants = yield* MerchantStore
      for (const cell of [east, west]) {
        const merchant = yield* merchantIn(cell)
        const { createdAt: at, id } = merchant
        const action = actionOn(id, at, { merchantId: id })
        const suspended = merchants.transition({ merchantId: id, from: "ACTIVE", to: "SUSPENDED", actor: "ada", at })
        assert.isTrue(yield* actions.commit(suspended, () => action))
        assertEquals([...(yield* actionsIn(cell, action.actor))], [action])
        assertEquals([...(yield* actionsIn(cell === east ? west : east, action.actor))], [])
      }
    })
  )

  it.effect("change nothing if the action cannot be kept, in any cell", () =>
    Effect.gen(function* () {
      const actions = yield* OperatorActionStore
      const merchants = yield* MerchantStore
      for (const cell of [east, west]) {
        const { createdAt: at, id } = yield* merchantIn(cell)
        const first = actionOn(id, at, { merchantId: id })
        yield* actions.commit(Effect.void, () => first)
        const suspended = merchants.transition({ merchantId: id, from: "ACTIVE", to: "SUSPENDED", actor: "ada", at })
        // Fails, because the action's id is taken.
        assert.isTrue(Exit.isFailure(yield* Effect.exit(actions.commit(suspended, () => first))))
        assert.strictEqual(Option.getOrThrow(yield* merchants.find(id)).status, "ACTIVE")
        const failing = Effect.andThen(suspended, Effect.fail("no" as const))
        assert.strictEqual(yield* Effect.flip(actions.commit(failing, () => actionOn(id, at))), "no")
        assert.strictEqual(Option.getOrThrow(yield* merchants.find(id)).status, "ACTIVE")
      }
    })
  )

  it.effect("leave no name of a merchant whose commit fails, and confirm one whose commit stands", () =>
    Effect.gen(function* () {
      const actions = yield* OperatorActionStore
      const merchants = yield* MerchantStore
      const directory = yield* CellDirectory
      const merchant = yield* FreshMerchant.unstored({ externalId: Fresh.randomText("shop") })
      const inserted = merchants.insert(merchant, FreshMerchant.firstChange(merchant))
      const broken = Effect.andThen(inserted, Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(actions.commit(broken, () => undefined)), "no")
      assertEquals(yield* directory.find(merchant.id), Option.none())
      assertEquals(yield* merchants.findByExternalId(merchant.externalId ?? ""), Option.none())
      assert.isTrue(
        yield* actions.commit(inserted, () => actionOn(merchant.id, merchant.createdAt, { merchantId: merchant.id }))
      )
      assert.isTrue(Option.getOrThrow(yield* directory.find(merchant.id)).isConfirmed)
    })
  )

  it.effect("restrict a person in every cell with the action, and in none if it is not kept", () =>
    Effect.gen(function* () {
      const actions = yield* OperatorActionStore
      const persons = yield* PersonStore
      const [first, second] = [yield* merchantIn(east), yield* merchantIn(west)]
      const { consumer } = yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(first) })
      yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(second), consumer })
      const { environment, serviceId } = consumer
      const restricted = persons.restrict(environment, serviceId, yield* Fresh.now)
      const isRestricted = (cell: CellName) =>
        Effect.map(TestCells.personIn(cell, consumer), (row) => !row.includes('"restricted_at": null'))
      const lost = Effect.andThen(restricted, Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(actions.commit(lost, () => undefined)), "no")
      assert.deepStrictEqual([yield* isRestricted(east), yield* isRestricted(west)], [false, false])
      const action = actionOn(serviceId, yield* Fresh.now, { kind: "person.restricted", environment, serviceId })
      yield* actions.commit(restricted, () => action)
      assert.deepStrictEqual([yield* isRestricted(east), yield* isRestricted(west)], [true, true])
      assertEquals([...(yield* actionsIn(east, action.actor))], [action])
      assert.deepStrictEqual(yield* (yield* CellDirectory).changesOf(consumer), [], "the change has ended")
    })
  )

  it.effect("carry a proposal out in its merchant's cell, all or nothing", () =>
    Effect.gen(function* () {
      const proposals = yield* ProposalStore
      const sale = yield* FreshPayment.settled({
        amountMinor: 10_000n,
        scope: FreshMerchant.scopeOf(yield* merchantIn(west))
      })
      const proposal = FreshProposal.payoutOf(sale)
      yield* proposals.propose(FreshProposal.planOf(proposal))
      const inWest = Context.get(yield* TestCells.storesOf(west), ProposalStore)
      assertEquals(yield* inWest.find("LIVE", proposal.id), Option.some(proposal))
      const decision = FreshProposal.decisionOn(proposal)
      const broken = proposals.carryOut(decision, (open) =>
        Effect.andThen(FreshProposal.paying(open), Effect.fail("no" as const))
      )
      assert.strictEqual(yield* Effect.flip(broken), "no")
      assert.strictEqual(yield* FreshProposal.balanceOf(sale), 10_000n)
      assert.isTrue(Option.isSome(yield* proposals.carryOut(decision, FreshProposal.paying)))
      assert.strictEqual(yield* FreshProposal.balanceOf(sale), 9_000n)
    }).pipe(Effect.scoped)
  )

  it.effect("use a key once, at merchants of whichever cell", () =>
    Effect.gen(function* () {
      const transfers = yield* OperatorTransferStore
      const sales = yield* Effect.forEach([east, west], (cell) =>
        Effect.flatMap(merchantIn(cell), (merchant) =>
          FreshPayment.settled({ amountMinor: 10_000n, scope: FreshMerchant.scopeOf(merchant) })
        )
      )
      const key = Fresh.idempotencyKey()
      const plans = sales.map((sale) =>
        FreshOperatorTransfer.postPlanOf(FreshOperatorTransfer.toMerchant(sale, { kind: "PAYOUT" }), key)
      )
      const outcomes = yield* Effect.forEach([...plans, ...plans], transfers.post, { concurrency: "unbounded" })
      assert.lengthOf(
        outcomes.filter(({ _tag }) => _tag === "Posted"),
        1
      )
      assert.lengthOf(
        outcomes.filter(({ _tag }) => _tag === "Existing"),
        3
      )
      const [first, second] = sales
      if (first === undefined || second === undefined) return assert.fail("two sales")
      const proposals = yield* ProposalStore
      const kept = FreshProposal.planOf(FreshProposal.payoutOf(first))
      assertEquals(yield* proposals.propose(kept), { _tag: "Proposed" })
      const again = FreshProposal.planOf(FreshProposal.payoutOf(second), kept.idempotencyKey)
      const { _tag } = yield* proposals.propose(again)
      assert.strictEqual(_tag, "Existing")
    })
  )

  it.effect("draw on a wallet as a whole, though a cell's part is negative or too small", () =>
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      const transfers = yield* OperatorTransferStore
      const [first, second] = [yield* merchantIn(east), yield* merchantIn(west)]
      const sale = yield* FreshPayment.settled({ scope: FreshMerchant.scopeOf(first), amountMinor: 100n })
      const fund = (minor: bigint) => {
        const amount = { ...sale.payment.amount, minor }
        return FreshOperatorTransfer.toConsumer(sale, { kind: "FUNDING", amount })
      }
      yield* transfers.post(FreshOperatorTransfer.postPlanOf(fund(50n)))
      const paidAt = Effect.fnUntraced(function* (merchant: Merchant, amountMinor: bigint) {
        const scope = FreshMerchant.scopeOf(merchant)
        const { payment } = yield* FreshPayment.unstored({ scope, consumer: sale.consumer, amountMinor })
        return yield* payments.record(FreshPayment.fromBalanceOf(payment))
      })
      // The wallet's part in the home cell covers the payment in the west. The western part is negative from then on.
      assert.strictEqual(yield* paidAt(second, 30n), "recorded")
      assert.strictEqual(yield* paidAt(first, 30n), "balance_too_small", "the home cell alone would have it")
      assert.strictEqual(yield* paidAt(first, 15n), "recorded")
      const withdrawal = (minor: bigint) =>
        FreshOperatorTransfer.postPlanOf(
          FreshOperatorTransfer.toConsumer(sale, { kind: "WITHDRAWAL", amount: { ...sale.payment.amount, minor } })
        )
      assertEquals(yield* transfers.post(withdrawal(6n)), { _tag: "Insufficient", balanceMinor: 5n })
      assertEquals(yield* transfers.post(withdrawal(5n)), { _tag: "Posted" })
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 0n)
    })
  )

  it.effect("do a host's queued call once, in another cell than it is queued in", () =>
    Effect.gen(function* () {
      const requests = yield* HostRequestStore
      const consumers = yield* ConsumerStore
      const merchant = yield* merchantIn(west)
      const consumer = yield* FreshConsumer.unstored("TEST")
      assert.isTrue(yield* consumers.insert(consumer, undefined))
      const { environment, userId } = consumer
      const linked = consumers.link({ merchantId: merchant.id, environment, userId, createdAt: yield* Fresh.now })
      const request = newRequest()
      yield* requests.enqueue(request)
      const now = yield* Fresh.now
      const lease = Effect.fnUntraced(function* (after: number) {
        const at = Fresh.later(now, after)
        const claimed = yield* requests.claim({ now: at, leasedUntil: Fresh.later(at, 1_000), limit: 1_000 })
        return claimed.find(({ key }) => key === request.key) ?? assert.fail("it is due")
      })
      const done: HostRequestOutcome = { _tag: "Done", result: { id: "made" } }
      let runs = 0
      const work = Effect.andThen(
        linked,
        Effect.sync(() => {
          runs += 1
          return done
        })
      )
      // Recreates the state after a process died between the work's commit and the home cell's record of it.
      const first = yield* lease(60_000)
      const home = Context.get(yield* TestCells.storesOf(east), HostRequestStore)
      const died = yield* Effect.exit(
        home.settle(first, now, Effect.andThen(requests.settle(first, now, work), Effect.fail(unavailable)))
      )
      assert.isTrue(Exit.isFailure(died))
      assert.strictEqual(runs, 1, "the work's commit outlives the process")
      const again = yield* lease(120_000)
      assertEquals(yield* requests.settle(again, now, work), Option.some(done))
      assert.strictEqual(runs, 1)
      assert.isTrue(yield* consumers.isLinked(merchant.id, environment, userId))
      assert.strictEqual(Option.getOrThrow(yield* requests.find(request.key)).status, "DONE")
    }).pipe(Effect.scoped)
  )
})
