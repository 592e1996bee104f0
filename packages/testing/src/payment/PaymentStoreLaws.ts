import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { Payment } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, type Layer, Option } from "effect"
import { signalled } from "../event/DispatcherWakes.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, law, lawAlone, suiteOf } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "./FreshPayment.js"
import { paysFromBalance } from "./WalletPaymentLaws.js"

type Ports =
  | PaymentStore
  | RefundStore
  | MerchantStore
  | ConsumerStore
  | WebhookEndpointStore
  | EventLog
  | Ledger
  | DeliverySignal

const eventOf = (plan: PaymentPlan) => plan.event ?? assert.fail("a settlement has an event")

const traceOf = Effect.fnUntraced(function* (sale: FreshPayment.Sale, plan: PaymentPlan) {
  const payments = yield* PaymentStore
  const events = yield* EventLog
  return {
    payment: yield* payments.find(sale.scope, sale.payment.id),
    settlementMinor: yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)),
    walletMinor: yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)),
    event: Option.map(yield* events.find(sale.scope, eventOf(plan).id), FreshEvent.unplaced)
  }
})

const untouched = (payment: Option.Option<Payment>) => ({
  payment,
  settlementMinor: undefined,
  walletMinor: undefined,
  event: Option.none()
})

export const recordsPending = law(
  "records a pending payment, with and without a reference, and moves nothing for it",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const sale = yield* FreshPayment.pending({ method: "CARD" })
    assertEquals(yield* store.find(sale.scope, sale.payment.id), Option.some(sale.payment))
    const { reference: _, serviceId: __, userId: ___, ...guest } = sale.payment
    for (const id of [Fresh.paymentId(guest.createdAt), Fresh.paymentId(guest.createdAt)]) {
      assert.strictEqual(yield* store.record(FreshPayment.pendingPlan({ ...guest, id })), "recorded")
      assertEquals(yield* store.find(sale.scope, id), Option.some({ ...guest, id }))
    }
    assert.isUndefined(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)))
  })
)

export const recordsSettled = lawAlone(
  "records a settled payment with its transfers and its event, and wakes the dispatcher",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const events = yield* EventLog
    const sale = yield* FreshPayment.unstored({ amountMinor: 10_000n })
    const endpoint = yield* FreshEndpoint.make(sale.scope)
    const plan = FreshPayment.settlementOf(sale.payment)
    assert.isTrue(
      yield* signalled(Effect.map(store.record(plan), (outcome) => assert.strictEqual(outcome, "recorded")))
    )
    assertEquals(yield* traceOf(sale, plan), {
      payment: Option.some(plan.payment),
      settlementMinor: 10_000n,
      walletMinor: 0n,
      event: Option.some(eventOf(plan))
    })
    const [history] = yield* events.deliveries(sale.scope, eventOf(plan).id)
    assert.strictEqual(history?.delivery.endpointId, endpoint.id)
    assert.strictEqual(history?.delivery.status, "PENDING")
    yield* LedgerChecks.expectSound
  })
)

export const answersWhichIsTaken = law(
  "returns the field that another payment has, and stores nothing",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const first = yield* FreshPayment.settled()
    const second = yield* FreshPayment.unstored({ scope: first.scope })
    const sameId = FreshPayment.settlementOf({ ...second.payment, id: first.payment.id })
    assert.strictEqual(yield* store.record(sameId), "id_taken")
    assertEquals(yield* store.find(first.scope, first.payment.id), Option.some(first.payment))
    assert.isUndefined(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(second)))
    const { reference } = first.payment
    const sameReference = FreshPayment.settlementOf({ ...second.payment, ...(reference && { reference }) })
    assert.strictEqual(yield* store.record(sameReference), "reference_taken")
    assertEquals(yield* traceOf(second, sameReference), {
      ...untouched(Option.none()),
      settlementMinor: first.payment.amount.minor
    })
    assert.strictEqual(yield* store.record(FreshPayment.settlementOf(second.payment)), "recorded", "it can still come")
  })
)

export const separatesScopes = law(
  "keeps the same id and reference apart for two merchants and for TEST and LIVE, in every verb",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const sale = yield* FreshPayment.pending()
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    for (const scope of [FreshMerchant.otherEnvironment(sale.scope), neighbour]) {
      assertEquals(yield* store.find(scope, sale.payment.id), Option.none())
      const theirs = yield* FreshPayment.unstored({ scope, amountMinor: 77n })
      const twin = { ...theirs.payment, id: sale.payment.id, reference: sale.payment.reference ?? "" }
      assert.isFalse(yield* store.settle(FreshPayment.settlementOf(twin)), "what is not there cannot settle")
      assert.strictEqual(yield* store.record(FreshPayment.pendingPlan(twin)), "recorded")
      assertEquals(yield* store.find(scope, twin.id), Option.some(twin))
      assert.isTrue(yield* store.settle(FreshPayment.settlementOf(twin)))
    }
    assertEquals(yield* store.find(sale.scope, sale.payment.id), Option.some(sale.payment))
    assert.isUndefined(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)), "theirs moved theirs")
  })
)

export const oneRecordWins = law(
  "records exactly one of many payments at once that share an id, or a reference",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    for (const shared of ["id", "reference"] as const) {
      const first = yield* FreshPayment.unstored({ amountMinor: 500n })
      const plans = Array.from({ length: 20 }, () =>
        FreshPayment.settlementOf({
          ...first.payment,
          ...(shared === "id"
            ? { reference: Fresh.randomText("order") }
            : { id: Fresh.paymentId(first.payment.createdAt) })
        })
      )
      const outcomes = yield* Effect.forEach(plans, store.record, { concurrency: "unbounded" })
      const losers = outcomes.filter((outcome) => outcome === `${shared}_taken`)
      assert.lengthOf(
        outcomes.filter((outcome) => outcome === "recorded"),
        1
      )
      assert.lengthOf(losers, 19)
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(first)), 500n)
    }
    yield* LedgerChecks.expectSound
  })
)

export const oneSettlementWins = law(
  "settles a pending payment once under concurrent settlements, and moves its money once",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const events = yield* EventLog
    const sale = yield* FreshPayment.pending({ amountMinor: 800n })
    const plans = Array.from({ length: 20 }, () => FreshPayment.settlementOf(sale.payment))
    const settled = yield* Effect.forEach(plans, store.settle, { concurrency: "unbounded" })
    const winner = plans[settled.indexOf(true)] ?? assert.fail("one settlement wins")
    assert.lengthOf(settled.filter(Boolean), 1)
    assertEquals(yield* traceOf(sale, winner), {
      payment: Option.some(winner.payment),
      settlementMinor: 800n,
      walletMinor: 0n,
      event: Option.some(eventOf(winner))
    })
    const told = yield* PageWalk.all((page) => events.list(sale.scope, page), 10)
    assertEquals(told.map(FreshEvent.unplaced), [eventOf(winner)], "no loser's event is stored")
    yield* LedgerChecks.expectSound
  })
)

export const settlesOnlyPending = law(
  "does not settle what is settled already or is not there, and stores nothing",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const settled = yield* FreshPayment.settled({ amountMinor: 800n })
    assert.isFalse(yield* store.settle(FreshPayment.settlementOf(settled.payment)))
    assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(settled)), 800n)
    const absent = yield* FreshPayment.unstored()
    const plan = FreshPayment.settlementOf(absent.payment)
    assert.isFalse(yield* store.settle(plan))
    assertEquals(yield* traceOf(absent, plan), untouched(Option.none()))
  })
)

/** Returns a copy of the plan that cannot be stored, since the id of its event or `PAYMENT` transfer is taken. */
const spoilt = Effect.fnUntraced(function* (plan: PaymentPlan, part: "event" | "transfer") {
  const { merchantId, environment } = plan.payment
  const stored = yield* FreshPayment.unstored({ scope: { merchantId, environment } })
  const taken = yield* FreshPayment.recorded(FreshPayment.settlementOf(stored.payment))
  const id = taken.transfers[0]?.id ?? assert.fail("a settlement has transfers")
  return part === "event"
    ? { ...plan, event: { ...eventOf(plan), id: eventOf(taken).id } }
    : {
        ...plan,
        transfers: plan.transfers.map((transfer) => (transfer.kind === "PAYMENT" ? { ...transfer, id } : transfer))
      }
})

export const recordsAllOrNothing = law(
  "records all of a payment or nothing: if its event or a transfer cannot be stored, no part of it is",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    for (const part of ["event", "transfer"] as const) {
      const sale = yield* FreshPayment.unstored()
      const plan = FreshPayment.settlementOf(sale.payment)
      const impossible = yield* spoilt(plan, part)
      const before = yield* traceOf(sale, plan)
      yield* expectFailure(`a payment whose ${part}'s id is taken`, store.record(impossible))
      assertEquals(yield* traceOf(sale, plan), before)
      assertEquals(before.payment, Option.none())
      assert.strictEqual(yield* store.record(plan), "recorded", "its reference is still free")
      yield* LedgerChecks.expectSound
    }
  })
)

export const settlesAllOrNothing = law(
  "settles all of a payment or nothing: if its event or a transfer cannot be stored, it stays pending",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    for (const part of ["event", "transfer"] as const) {
      const sale = yield* FreshPayment.pending()
      const plan = FreshPayment.settlementOf(sale.payment)
      const impossible = yield* spoilt(plan, part)
      const before = yield* traceOf(sale, plan)
      yield* expectFailure(`a settlement whose ${part}'s id is taken`, store.settle(impossible))
      assertEquals(yield* traceOf(sale, plan), before)
      assertEquals(before.payment, Option.some(sale.payment))
      assert.isTrue(yield* store.settle(plan))
      yield* LedgerChecks.expectSound
    }
  })
)

export const listsNewestFirst = law(
  "lists an environment's payments newest first, in pages that skip and repeat nothing while payments are added",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const now = yield* Fresh.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const sales = yield* Effect.forEach([5, 4, 3, 2, 1], (age) =>
      FreshPayment.pending({ scope, at: Fresh.later(now, -age) })
    )
    const live = yield* FreshPayment.pending({ scope: FreshMerchant.otherEnvironment(scope) })
    yield* PageWalk.expectNewestFirst(
      (page) => store.list("TEST", page),
      ({ id }) => id,
      sales.map(({ payment }) => payment.id).reverse(),
      FreshPayment.pending({ scope })
    )
    const { data } = yield* store.list("TEST", { limit: 100, cursor: undefined })
    assert.isTrue(data.every(({ environment, id }) => environment === "TEST" && id !== live.payment.id))
  })
)

export const laws = [
  recordsPending,
  recordsSettled,
  answersWhichIsTaken,
  separatesScopes,
  oneRecordWins,
  oneSettlementWins,
  settlesOnlyPending,
  recordsAllOrNothing,
  settlesAllOrNothing,
  listsNewestFirst,
  paysFromBalance
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>("PaymentStore", laws)
