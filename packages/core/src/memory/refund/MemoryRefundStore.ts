import { DateTime, Effect, Layer, Option } from "effect"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { OutboxEvent } from "../../event/PlatformEvent.js"
import type { RefundId } from "../../Ids.js"
import type { AccountPart } from "../../ledger/Account.js"
import type { Payment } from "../../payment/Payment.js"
import type { PriorRefund, RefundDecision, RefundPlan, RefundSnapshot } from "../../refund/decideRefund.js"
import type { Refund } from "../../refund/Refund.js"
import { type LeasedRefund, type RefundLookup, RefundStore, type RefundTrail } from "../../refund/RefundStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { balanceMinor, checkTransfers, partMinor, post } from "../ledger/MemoryBooks.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { isOf, MemoryState, type StoredRefund, scopedKey } from "../MemoryState.js"
import { mayRefundIn } from "../sandbox/MemorySandboxStore.js"

type State = MemoryState["Service"]

const priorOf = (state: State, { idempotencyKey, scope }: RefundLookup): PriorRefund | undefined => {
  const id = state.refundsByKey.get(scopedKey(scope, idempotencyKey))
  const stored = id && state.refunds.get(id)
  return stored && { refundId: stored.refund.id, fingerprint: stored.fingerprint, answer: stored.answer }
}

const paymentByReference = (state: State, { reference, scope }: RefundLookup): Payment | undefined => {
  const id = reference === undefined ? undefined : state.paymentsByReference.get(scopedKey(scope, reference))
  return id && state.payments.get(scopedKey(scope, id))
}

const isWalletOpen = (state: State, { amount: { currency }, environment, userId }: Payment): boolean =>
  userId !== undefined && balanceMinor(state, { environment, kind: "WALLET", owner: userId, currency }) !== undefined

/**
 * Takes the snapshot for a refund. `settlementMinor` and `walletOpen` refer to the payment found by id, or else by
 * reference.
 */
export const snapshotOf = (state: State, lookup: RefundLookup): RefundSnapshot => {
  const { environment, merchantId } = lookup.scope
  const byId =
    lookup.paymentId === undefined ? undefined : state.payments.get(scopedKey(lookup.scope, lookup.paymentId))
  const byReference = paymentByReference(state, lookup)
  const payment = byId ?? byReference
  const settlement: AccountPart | undefined = payment && {
    environment,
    kind: "SETTLEMENT",
    owner: merchantId,
    currency: payment.amount.currency,
    books: merchantId
  }
  const settings = state.merchants.get(merchantId)?.settings
  return {
    prior: priorOf(state, lookup),
    byId,
    byReference,
    refundsEnabled: mayRefundIn(state, lookup.scope),
    settlementOverdraft: settings?.settlementOverdraft ?? false,
    settlementMinor: settlement === undefined ? 0n : partMinor(state, settlement),
    walletOpen: payment !== undefined && isWalletOpen(state, payment)
  }
}

const eventsOf = ({ event, platformEvent }: RefundPlan): ReadonlyArray<OutboxEvent> =>
  [event, platformEvent].filter((each) => each !== undefined)

/**
 * Throws if `writePlan` would violate a constraint. `execute` takes the snapshot in the same step, so a stale plan is a
 * defect.
 */
export const checkPlan = (state: State, plan: RefundPlan): void => {
  const { refund, transfer } = plan
  const payment = state.payments.get(scopedKey(refund, plan.paymentId))
  const suffices = plan.settlementOverdraft || partMinor(state, transfer.debit) >= transfer.amount.minor
  requireThat(!state.refunds.has(refund.id), "a refund's id is new", refund.id)
  requireThat(!state.refundsByKey.has(scopedKey(refund, plan.idempotencyKey)), "the key is free", refund.id)
  requireThat(payment?.refundedMinor === plan.refundedBeforeMinor, "the total is the one decided on", refund.id)
  requireThat(
    payment !== undefined && plan.refundedAfterMinor <= payment.amount.minor,
    "refunds never sum to more than the payment",
    refund.id
  )
  requireThat(suffices, "the settlement balance suffices", refund.id)
  checkTransfers(state, [transfer])
  for (const event of eventsOf(plan)) checkEvent(state, event)
}

/** Returns the number of deliveries created. */
export const writePlan = (state: State, plan: RefundPlan): number => {
  const { refund } = plan
  const key = scopedKey(refund, plan.paymentId)
  const payment = state.payments.get(key)
  if (payment !== undefined) state.payments.set(key, { ...payment, refundedMinor: plan.refundedAfterMinor })
  state.refunds.set(refund.id, {
    refund,
    idempotencyKey: plan.idempotencyKey,
    fingerprint: plan.fingerprint,
    answer: plan.answer,
    fence: 0,
    leasedUntil: undefined,
    played: plan.played
  })
  state.refundsByKey.set(scopedKey(refund, plan.idempotencyKey), refund.id)
  post(state, plan.transfer)
  return eventsOf(plan).reduce((deliveries, event) => deliveries + append(state, event, refund.id), 0)
}

const isFree = ({ leasedUntil, refund }: StoredRefund, now: DateTime.Utc): boolean =>
  refund.status === "PENDING" && (leasedUntil === undefined || DateTime.isLessThanOrEqualTo(leasedUntil, now))

const leasedBy = (state: State, leased: LeasedRefund): StoredRefund | undefined => {
  const stored = state.refunds.get(leased.refund.id)
  return stored?.refund.status === "PENDING" && stored.fence === leased.fence ? stored : undefined
}

const positionOf = ({ createdAt, id }: Refund) => positionAt(createdAt, id)

const unfinishedOf = (state: State, now: DateTime.Utc, madeBefore: DateTime.Utc): ReadonlyArray<RefundId> =>
  [...state.refunds.values()]
    .filter(
      (stored) =>
        stored.played !== "pending" && isFree(stored, now) && DateTime.isLessThan(stored.refund.createdAt, madeBefore)
    )
    .map(({ refund }) => refund)
    .sort((a, b) => DateTime.Order(a.createdAt, b.createdAt) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)

/** Transfers and events are in order of storage, since maps preserve insertion order. */
const trailOf = (state: State, refund: Refund): RefundTrail => ({
  refund,
  transfers: [...state.transfers.values()].filter(({ cause }) => cause === refund.id),
  events: [...state.events.values()].flatMap(({ cause, event }) => (cause === refund.id ? [event] : []))
})

const execution =
  (state: State, signal: DeliverySignal["Service"]): RefundStore["Service"]["execute"] =>
  (lookup, decide) =>
    Effect.suspend((): Effect.Effect<RefundDecision> => {
      const decision = decide(snapshotOf(state, lookup))
      if (decision._tag !== "Execute") return Effect.succeed(decision)
      checkPlan(state, decision.plan)
      return Effect.as(notifyOf(signal, writePlan(state, decision.plan)), decision)
    })

type Pending = Pick<RefundStore["Service"], "lease" | "release" | "due" | "settleCompleted" | "settleFailed">

const pending = (state: State, signal: DeliverySignal["Service"]): Pending => ({
  lease: (id, now, until) =>
    Effect.sync(() => {
      const stored = state.refunds.get(id)
      if (stored === undefined || !isFree(stored, now)) return Option.none()
      const fence = stored.fence + 1
      state.refunds.set(id, { ...stored, fence, leasedUntil: until })
      return Option.some({ refund: stored.refund, fence, played: stored.played })
    }),

  release: (leased) =>
    Effect.sync(() => {
      const stored = leasedBy(state, leased)
      if (stored !== undefined) state.refunds.set(leased.refund.id, { ...stored, leasedUntil: undefined })
    }),

  due: (now, madeBefore, limit) => Effect.sync(() => unfinishedOf(state, now, madeBefore).slice(0, limit)),

  settleCompleted: ({ answer, event, leased, refund }) =>
    Effect.suspend(() => {
      const stored = leasedBy(state, leased)
      if (stored === undefined) return Effect.succeed(false)
      checkEvent(state, event)
      state.refunds.set(refund.id, { ...stored, refund, answer })
      return Effect.as(notifyOf(signal, append(state, event, refund.id)), true)
    }),

  settleFailed: ({ event, leased, reversal }) =>
    Effect.suspend(() => {
      const stored = leasedBy(state, leased)
      if (stored === undefined) return Effect.succeed(false)
      checkTransfers(state, [reversal])
      checkEvent(state, event)
      const { refund } = stored
      const key = scopedKey(refund, refund.paymentId)
      const payment = state.payments.get(key)
      if (payment !== undefined) {
        state.payments.set(key, { ...payment, refundedMinor: payment.refundedMinor - refund.amount.minor })
      }
      state.refunds.set(refund.id, { ...stored, refund: { ...refund, status: "FAILED" } })
      state.refundsByKey.delete(scopedKey(refund, stored.idempotencyKey))
      post(state, reversal)
      return Effect.as(notifyOf(signal, append(state, event, refund.id)), true)
    })
})

export const make = (state: State, signal: DeliverySignal["Service"]): RefundStore["Service"] =>
  RefundStore.of({
    ...pending(state, signal),
    execute: execution(state, signal),

    find: (scope, id) =>
      Effect.sync(() => {
        const refund = state.refunds.get(id)?.refund
        return refund !== undefined && isOf(scope, refund) ? Option.some(refund) : Option.none()
      }),

    list: ({ environment, merchantId }, { paymentId }, page) =>
      listRecords(
        () => [...state.refunds.values()].map(({ refund }) => refund),
        {
          where: matches<Refund>({ environment, merchantId, paymentId }),
          position: positionOf
        },
        page
      ),

    findAny: (id) => Effect.sync(() => Option.fromUndefinedOr(state.refunds.get(id)?.refund)),

    trail: (environment, id) =>
      Effect.sync(() => {
        const refund = state.refunds.get(id)?.refund
        return refund?.environment === environment ? Option.some(trailOf(state, refund)) : Option.none()
      }),

    listAll: ({ since, until, ...wanted }, page) => {
      const isWanted = matches<Refund>(wanted)
      return listRecords(
        () => [...state.refunds.values()].map(({ refund }) => refund),
        {
          where: (refund) =>
            isWanted(refund) &&
            (since === undefined || DateTime.isGreaterThanOrEqualTo(refund.createdAt, since)) &&
            (until === undefined || DateTime.isLessThan(refund.createdAt, until)),
          position: positionOf
        },
        page
      )
    }
  })

export const layer: Layer.Layer<RefundStore, never, MemoryState | DeliverySignal> = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* DeliverySignal)
  })
)
