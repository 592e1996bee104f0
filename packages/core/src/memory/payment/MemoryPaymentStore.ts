import { Effect, Layer, Option } from "effect"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { Payment } from "../../payment/Payment.js"
import { type PaymentPlan, PaymentStore } from "../../payment/PaymentStore.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { balanceMinor, checkTransfers, post } from "../ledger/MemoryBooks.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { environmentKey, MemoryState, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

const isPersonKnown = (state: State, { environment, userId }: Payment): boolean =>
  userId === undefined || state.consumers.has(environmentKey(environment, userId))

/** Stores `payment` with the plan's transfers and event. Returns the number of deliveries created. */
const write = (state: State, payment: Payment, { event, transfers }: PaymentPlan): number => {
  checkTransfers(state, transfers)
  if (event !== undefined) checkEvent(state, event)
  state.payments.set(scopedKey(payment, payment.id), payment)
  if (payment.reference !== undefined) {
    state.paymentsByReference.set(scopedKey(payment, payment.reference), payment.id)
  }
  for (const transfer of transfers) post(state, transfer)
  return event === undefined ? 0 : append(state, event, payment.id)
}

const isCovered = (state: State, { fromBalance, transfers }: PaymentPlan): boolean =>
  fromBalance !== true ||
  transfers.every(({ amount, debit }) => debit.kind !== "WALLET" || (balanceMinor(state, debit) ?? 0n) >= amount.minor)

const settled = (stored: Payment, { payment: { settledAt } }: PaymentPlan): Payment => ({
  ...stored,
  status: "SETTLED",
  ...(settledAt === undefined ? {} : { settledAt })
})

export const make = (state: State, signal: DeliverySignal["Service"]): PaymentStore["Service"] =>
  PaymentStore.of({
    record: (plan) =>
      Effect.suspend(() => {
        const { payment } = plan
        const { reference } = payment
        if (state.payments.has(scopedKey(payment, payment.id))) return Effect.succeed("id_taken")
        if (reference !== undefined && state.paymentsByReference.has(scopedKey(payment, reference))) {
          return Effect.succeed("reference_taken")
        }
        if (!isPersonKnown(state, payment)) return Effect.succeed("person_unknown")
        if (!isCovered(state, plan)) return Effect.succeed("balance_too_small")
        return Effect.as(notifyOf(signal, write(state, payment, plan)), "recorded")
      }),

    settle: (plan) =>
      Effect.suspend(() => {
        const stored = state.payments.get(scopedKey(plan.payment, plan.payment.id))
        if (stored?.status !== "PENDING") return Effect.succeed(false)
        return Effect.as(notifyOf(signal, write(state, settled(stored, plan), plan)), true)
      }),

    find: (scope, id) => Effect.sync(() => Option.fromUndefinedOr(state.payments.get(scopedKey(scope, id)))),

    list: (environment, page) =>
      listRecords(
        () => state.payments.values(),
        {
          where: matches<Payment>({ environment }),
          position: ({ createdAt, id }) => positionAt(createdAt, id)
        },
        page
      )
  })

export const layer: Layer.Layer<PaymentStore, never, MemoryState | DeliverySignal> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* DeliverySignal)
  })
)
