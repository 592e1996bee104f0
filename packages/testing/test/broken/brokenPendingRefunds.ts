import type { RefundId } from "@surety/core/Ids"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { type HeldRefund, RefundStore } from "@surety/core/refund/RefundStore"
import * as Pending from "@surety/testing/refund/PendingRefundLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"

/** Makes a refund as it was before anybody held or finished it, but for its fence. */
const reopen = (state: State, id: RefundId): void => {
  const stored = state.refunds.get(id)
  if (stored === undefined) return
  state.refunds.set(id, { ...stored, refund: { ...stored.refund, status: "PENDING" }, heldUntil: undefined })
}

/** What is held as if its holder were the latest. */
const asLatest = (state: State, held: HeldRefund): HeldRefund => ({
  ...held,
  fence: state.refunds.get(held.refund.id)?.fence ?? held.fence
})

const isPending = (state: State, { refund }: HeldRefund): boolean =>
  state.refunds.get(refund.id)?.refund.status === "PENDING"

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    RefundStore,
    "sets no money of a pending refund aside",
    (sound, state) => ({
      execute: (lookup, decide) =>
        Effect.tap(sound.execute(lookup, decide), (decision) =>
          Effect.sync(() => {
            if (decision._tag !== "Execute" || decision.plan.refund.status !== "PENDING") return
            const key = scopedKey(lookup.scope, decision.plan.paymentId)
            const payment = state.payments.get(key)
            if (payment !== undefined) state.payments.set(key, { ...payment, refundedMinor: 0n })
          })
        )
    }),
    [Pending.setsMoneyAside]
  ),
  broken(
    RefundStore,
    "looks whether a refund is free before, not when it takes it",
    (sound, state) => ({
      hold: (id, now, until) =>
        lookThenAct(
          () => state.refunds.get(id)?.heldUntil === undefined,
          (free) => {
            if (free) reopen(state, id)
            return sound.hold(id, now, until)
          }
        )
    }),
    [Pending.oneHolder]
  ),
  broken(
    RefundStore,
    "never lets a hold end",
    (sound) => ({ hold: (id, now, until) => sound.hold(id, now, DateTime.add(until, { years: 100 })) }),
    [Pending.holdsEnd]
  ),
  broken(
    RefundStore,
    "lets finished refunds be held",
    (sound, state) => ({
      hold: (id, now, until) =>
        Effect.suspend(() => {
          reopen(state, id)
          return sound.hold(id, now, until)
        })
    }),
    [Pending.holdsOnlyPending]
  ),
  broken(
    RefundStore,
    "finds refunds that somebody holds",
    (sound, state) => ({
      unfinished: (now, madeBefore, limit) => {
        const never = DateTime.makeUnsafe(8e15)
        return Effect.map(sound.unfinished(never, madeBefore, limit), (ids) =>
          ids.filter((id) => state.refunds.has(id) && DateTime.isLessThan(now, never))
        )
      }
    }),
    [Pending.findsUnfinished]
  ),
  broken(
    RefundStore,
    "forgets the answer of a completed refund",
    (sound, state) => ({
      complete: (completion) =>
        Effect.tap(sound.complete(completion), () =>
          Effect.sync(() => {
            const stored = state.refunds.get(completion.refund.id)
            if (stored !== undefined) state.refunds.set(completion.refund.id, { ...stored, answer: undefined })
          })
        )
    }),
    [Pending.completes]
  ),
  broken(
    RefundStore,
    "keeps the key of a failed refund",
    (sound, state) => ({
      fail: (failure) => {
        const { refund } = failure.held
        const keys = [...state.refundsByKey].filter(([, id]) => id === refund.id)
        return Effect.tap(sound.fail(failure), () =>
          Effect.sync(() => {
            for (const [key, id] of keys) state.refundsByKey.set(key, id)
          })
        )
      }
    }),
    [Pending.fails]
  ),
  broken(
    RefundStore,
    "ignores the fence",
    (sound, state) => ({
      complete: (completion) =>
        Effect.suspend(() => sound.complete({ ...completion, held: asLatest(state, completion.held) })),
      fail: (failure) => Effect.suspend(() => sound.fail({ ...failure, held: asLatest(state, failure.held) }))
    }),
    [Pending.fencesKeepOlderHolderOut]
  ),
  broken(
    RefundStore,
    "checks the fence before, not in the commit",
    (sound, state) => ({
      complete: (completion) =>
        lookThenAct(
          () => isPending(state, completion.held),
          (open) => {
            if (open) reopen(state, completion.refund.id)
            return sound.complete(completion)
          }
        )
    }),
    [Pending.oneOutcome]
  ),
  broken(
    RefundStore,
    "leaves half of an outcome that it could not store",
    (sound, state) => ({
      complete: (completion) =>
        Effect.onError(sound.complete(completion), () =>
          Effect.sync(() => {
            const stored = state.refunds.get(completion.refund.id)
            if (stored !== undefined) state.refunds.set(completion.refund.id, { ...stored, refund: completion.refund })
          })
        )
    }),
    [Pending.outcomesAllOrNothing]
  ),
  broken(RefundStore, "holds nothing", () => ({ hold: () => Effect.succeed(Option.none()) }), [Pending.oneHolder])
]
