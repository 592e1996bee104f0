import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit } from "effect"
import { isGone } from "../connection/storeFailure.js"
import { notify } from "../event/appendEvents.js"
import type * as Batcher from "../sql/Batcher.js"
import type { Database } from "../sql/Database.js"
import { commitRefunds } from "./commitRefunds.js"
import type { Execution } from "./executeAlone.js"
import { loadRefunds } from "./loadRefunds.js"

type Waiting = Batcher.Waiting<Execution, RefundDecision, StoreError>
type Rest = Batcher.Rest<Execution, RefundDecision, StoreError>

/** A decision to refund, and its waiting caller. */
interface Decided {
  readonly waiting: Waiting
  readonly decision: Extract<RefundDecision, { readonly _tag: "Execute" }>
}

export interface BatchContext {
  readonly database: Database
  readonly signal: DeliverySignal["Service"]
  readonly operation: string
}

const paymentKey = ({ paymentId, refund }: RefundPlan): string =>
  `${refund.merchantId}/${refund.environment}/${paymentId}`

/** Answers decisions that need no commit, and selects what to commit: one refund per payment. */
const decideAll = Effect.fnUntraced(function* (
  batch: ReadonlyArray<Waiting>,
  snapshots: ReadonlyArray<RefundSnapshot>
) {
  const payments = new Set<string>()
  const decided: Array<Decided> = []
  const later: Array<Waiting> = []
  for (const [index, waiting] of batch.entries()) {
    const snapshot = snapshots[index]
    if (snapshot === undefined) continue
    const exit = yield* Effect.exit(Effect.sync(() => waiting.input.decide(snapshot)))
    if (Exit.isFailure(exit) || exit.value._tag !== "Execute") {
      waiting.answer(exit)
    } else if (payments.has(paymentKey(exit.value.plan))) {
      later.push(waiting)
    } else {
      payments.add(paymentKey(exit.value.plan))
      decided.push({ waiting, decision: exit.value })
    }
  }
  return { decided, later }
})

/** Commits together. Returns what was overtaken, or everything if the commit failed. */
const commitAll = Effect.fnUntraced(function* (
  { database, operation, signal }: BatchContext,
  decided: ReadonlyArray<Decided>
) {
  const plans = decided.map(({ decision }) => decision.plan)
  const waitings = decided.map(({ waiting }) => waiting)
  const { refundLockTimeoutMillis } = database.settings
  const exit = yield* Effect.exit(database.verb(operation)(commitRefunds(database, plans, refundLockTimeoutMillis)))
  if (Exit.isFailure(exit)) return giveUp(waitings, exit)
  const committed = exit.value
  yield* notify(database, signal, committed.deliveries)
  for (const { decision, waiting } of decided) {
    if (committed.plans.has(decision.plan)) waiting.answer(Exit.succeed(decision))
  }
  return decided.filter(({ decision }) => !committed.plans.has(decision.plan)).map(({ waiting }) => waiting)
})

/**
 * Fails every caller if the storage is unavailable. Otherwise returns the batch, so that one bad item fails no other.
 */
const giveUp = (
  batch: ReadonlyArray<Waiting>,
  { cause }: Exit.Failure<unknown, StoreError>
): ReadonlyArray<Waiting> => {
  if (!isGone(cause)) return batch
  for (const { answer } of batch) answer(Exit.failCause(cause))
  return []
}

/**
 * Loads, decides and commits a batch in two round trips. Overtaken items, and those that wait for another transaction,
 * are left to run alone; a second refund of a payment is left for the next batch.
 */
export const executeBatch = Effect.fnUntraced(function* (
  context: BatchContext,
  batch: ReadonlyArray<Waiting>
): Effect.fn.Return<Rest> {
  const { database, operation } = context
  const lookups = batch.map(({ input }) => input.lookup)
  const exit = yield* Effect.exit(database.verb(operation)(loadRefunds(database, lookups)))
  if (Exit.isFailure(exit)) return { later: [], alone: giveUp(batch, exit) }
  const { decided, later } = yield* decideAll(batch, exit.value)
  return { later, alone: decided.length === 0 ? [] : yield* commitAll(context, decided) }
})
