import { accountPartText } from "@surety/core/ledger/Account"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { snapshotOf, writePlan } from "@surety/core/memory/refund/MemoryRefundStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect, Option } from "effect"
import { after, answering, asking, faultsOf, instead, lookingFirst, seeing } from "../../faults/Fault.js"
import { type Mistake, ofStore, years } from "./Mistake.js"

const refunds = faultsOf(RefundStore)

export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "refunds_within_payment",
    instead(
      refunds("execute", "forgets what was refunded before"),
      (_, state) => (lookup, decide) =>
        Effect.sync(() => {
          const snapshot = snapshotOf(state, lookup)
          const decision = decide({ ...snapshot, byId: snapshot.byId && { ...snapshot.byId, refundedMinor: 0n } })
          if (decision._tag === "Execute") writePlan(state, decision.plan)
          return decision
        })
    )
  ),
  ofStore(
    ["one_refund_per_key", "refunds_within_payment", "books_balance"],
    lookingFirst(
      refunds("execute", "commits what it decided before others committed"),
      (state, [lookup]) => snapshotOf(state, lookup),
      (snapshot, _, [, decide], state) =>
        Effect.sync(() => {
          const decision = decide(snapshot)
          if (decision._tag === "Execute") writePlan(state, decision.plan)
          return decision
        })
    )
  ),
  ofStore(
    "books_balance",
    lookingFirst(
      refunds("execute", "writes a balance that it read before"),
      (state) => new Map(state.accounts),
      (accounts, execute, [lookup, decide], state) =>
        Effect.tap(execute(lookup, decide), (decision) =>
          Effect.sync(() => {
            if (decision._tag !== "Execute") return
            const { amount, debit } = decision.plan.transfer
            const stale = accounts.get(accountPartText(debit))
            if (stale === undefined) return
            state.accounts.set(accountPartText(debit), { ...stale, balanceMinor: stale.balanceMinor - amount.minor })
          })
        )
    )
  ),
  ofStore(
    "one_refund_per_key",
    after(refunds("execute", "forgets the key of a refund"), (state, decision) => {
      if (decision._tag !== "Execute") return
      state.refundsByKey.delete(scopedKey(decision.plan.refund, decision.plan.idempotencyKey))
    })
  ),
  ofStore(
    "refusals_are_true",
    seeing(refunds("execute", "has one set of keys for all merchants"), (snapshot, state, { idempotencyKey }) => {
      const stored = [...state.refunds.values()].find((each) => each.idempotencyKey === idempotencyKey)
      if (stored === undefined) return snapshot
      const { answer, fingerprint, refund } = stored
      return { ...snapshot, prior: { refundId: refund.id, fingerprint, answer } }
    })
  ),
  ofStore(
    ["nothing_open_for_ever"],
    asking(refunds("lease", "never ends the lease of a refund"), ([id, now, until]) => [
      id,
      now,
      DateTime.add(until, years)
    ]),
    "wallet"
  ),
  ofStore(
    ["told_iff_committed", "answers_never_change"],
    after(refunds("execute", "loses a refund's event"), (state, decision) => {
      if (decision._tag === "Execute" && decision.plan.event !== undefined) state.events.delete(decision.plan.event.id)
    })
  ),
  ofStore(
    "no_defects",
    answering(refunds("find", "loses refunds that it answered"), () => Option.none())
  ),
  {
    how: "takes a wallet's failure for a credit",
    about: "wallet",
    violates: ["credited_iff_completed"],
    parts: {
      wallet: ({ credit }) => ({
        credit: (asked) => Effect.catchCause(credit(asked), () => Effect.succeed({ _tag: "Credited" as const }))
      })
    }
  }
]
