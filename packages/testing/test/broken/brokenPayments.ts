import { accountKeyText } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { post } from "@surety/core/memory/ledger/MemoryBooks"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { make } from "@surety/core/memory/payment/MemoryPaymentStore"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import * as Ledgers from "@surety/testing/ledger/LedgerLaws"
import * as Payments from "@surety/testing/payment/PaymentStoreLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, countingPages, lookThenAct, type State } from "./Broken.js"

/** Leaves the first transfer behind when the rest cannot be stored. */
const leavesTransfer = <A, E>(state: State, plan: PaymentPlan, commit: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.onError(commit, () =>
    Effect.sync(() => {
      const [first] = plan.transfers
      if (first !== undefined && !state.transfers.has(first.id)) post(state, first)
    })
  )

/** Makes the store forget what would tell it that the payment is there, or is settled. */
const forgetting = (state: State, { payment }: PaymentPlan): void => {
  const key = scopedKey(payment, payment.id)
  const stored = state.payments.get(key)
  if (stored !== undefined) state.payments.set(key, { ...stored, status: "PENDING" })
}

const payments: ReadonlyArray<Broken> = [
  broken(
    PaymentStore,
    "takes payments without a reference for ones with the same",
    (sound) => ({
      record: (plan) =>
        sound.record({ ...plan, payment: { ...plan.payment, reference: plan.payment.reference ?? "none" } })
    }),
    [Payments.recordsPending]
  ),
  broken(
    PaymentStore,
    "never wakes the dispatcher",
    (_, state, signal) => make(state, { ...signal, notify: Effect.void }),
    [Payments.recordsSettled]
  ),
  broken(
    PaymentStore,
    "does not mind who has the reference",
    (sound, state) => ({
      record: (plan) => {
        if (plan.payment.reference !== undefined) {
          state.paymentsByReference.delete(scopedKey(plan.payment, plan.payment.reference))
        }
        return sound.record(plan)
      }
    }),
    [Payments.answersWhichIsTaken]
  ),
  broken(
    PaymentStore,
    "finds payments of other merchants and environments",
    (_, state) => ({
      find: (_scope, id) =>
        Effect.sync(() => Option.fromUndefinedOr([...state.payments.values()].find((payment) => payment.id === id)))
    }),
    [Payments.separatesScopes]
  ),
  broken(
    PaymentStore,
    "checks that the id is free before, not in the commit",
    (sound, state) => ({
      record: (plan) => {
        const key = scopedKey(plan.payment, plan.payment.id)
        return lookThenAct(
          () => state.payments.has(key),
          (taken) => {
            if (!taken) state.payments.delete(key)
            return sound.record(plan)
          }
        )
      }
    }),
    [Payments.oneRecordWins]
  ),
  broken(
    PaymentStore,
    "checks that a payment is pending before, not in the commit",
    (sound, state) => ({
      settle: (plan) =>
        lookThenAct(
          () => state.payments.get(scopedKey(plan.payment, plan.payment.id))?.status,
          (status) => {
            if (status === "PENDING") forgetting(state, plan)
            return sound.settle(plan)
          }
        )
    }),
    [Payments.oneSettlementWins]
  ),
  broken(
    PaymentStore,
    "settles what is settled",
    (sound, state) => ({
      settle: (plan) =>
        Effect.suspend(() => {
          forgetting(state, plan)
          return sound.settle(plan)
        })
    }),
    [Payments.settlesOnlyPending]
  ),
  broken(
    PaymentStore,
    "leaves half of what it could not store",
    (sound, state) => ({
      record: (plan) => leavesTransfer(state, plan, sound.record(plan)),
      settle: (plan) => leavesTransfer(state, plan, sound.settle(plan))
    }),
    [Payments.recordsAllOrNothing, Payments.settlesAllOrNothing]
  ),
  broken(
    PaymentStore,
    "counts rows for a cursor",
    (sound) => ({ list: (environment, page) => countingPages((all) => sound.list(environment, all))(page) }),
    [Payments.listsNewestFirst]
  ),
  broken(
    PaymentStore,
    "loses a movement of the settlement account now and then",
    (sound, state) => ({
      record: (plan) =>
        Effect.tap(sound.record(plan), () =>
          Effect.sync(() => {
            const moved = plan.transfers.find(({ kind }) => kind === "PAYMENT")
            const key = moved && accountKeyText(moved.credit)
            const account = key && state.accounts.get(key)
            if (moved === undefined || !key || !account || state.payments.size % 5 > 0) return
            state.accounts.set(key, { ...account, balanceMinor: account.balanceMinor - moved.amount.minor })
          })
        )
    }),
    [Ledgers.soundUnderLoad]
  )
]

const ledgers: ReadonlyArray<Broken> = [
  broken(
    Ledger,
    "mixes the environments in the trial balance",
    (sound) => ({
      trialBalance: Effect.map(sound.trialBalance, (lines) =>
        lines.flatMap((line) => [
          { ...line, environment: "TEST" as const },
          { ...line, environment: "LIVE" as const }
        ])
      )
    }),
    [Ledgers.foldsEveryPosting]
  ),
  broken(
    Ledger,
    "counts rows for a cursor",
    (sound) => ({ balances: (environment, page) => countingPages((all) => sound.balances(environment, all))(page) }),
    [Ledgers.listsBalances]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...payments, ...ledgers]
