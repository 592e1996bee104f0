import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit } from "effect"
import { isGone } from "../connection/storeFailure.js"
import { notify } from "../event/notify.js"
import type * as Batcher from "../sql/Batcher.js"
import type { Database } from "../sql/Database.js"
import { commitRefunds } from "./commitRefunds.js"
import type { Execution } from "./executeAlone.js"
import { loadRefunds } from "./loadRefunds.js"

type Waiting = Batcher.Waiting<Execution, RefundDecision, StoreError>
type Rest = Batcher.Rest<Execution, RefundDecision, StoreError>

/** A decision to refund, and who waits for it. */
interface Decided {
  readonly waiting: Waiting
  readonly decision: Extract<RefundDecision, { readonly _tag: "Execute" }>
}

/** What a batch works with. */
export interface BatchContext {
  readonly database: Database
  readonly signal: DeliverySignal["Service"]
  readonly operation: string
}

const paymentKey = ({ paymentId, refund }: RefundPlan): string =>
  `${refund.merchantId}/${refund.environment}/${paymentId}`

/** Answers what is decided without a commit, and tells what is to be committed, one refund of each payment. */
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

/** Commits together; gives back what was overtaken meanwhile, or all where one spoils the others. */
const commitAll = Effect.fnUntraced(function* (
  { database, operation, signal }: BatchContext,
  decided: ReadonlyArray<Decided>
) {
  const plans = decided.map(({ decision }) => decision.plan)
  const waitings = decided.map(({ waiting }) => waiting)
  const { refundLockTimeoutMillis } = database.settings
  const exit = yield* Effect.exit(
    database.verb(operation)(
      commitRefunds(database, plans, { accounts: false, lockTimeoutMillis: refundLockTimeoutMillis })
    )
  )
  if (Exit.isFailure(exit)) return giveUp(waitings, exit)
  const committed = exit.value
  yield* notify(database, signal, committed.deliveries)
  for (const { decision, waiting } of decided) {
    if (committed.plans.has(decision.plan)) waiting.answer(Exit.succeed(decision))
  }
  return decided.filter(({ decision }) => !committed.plans.has(decision.plan)).map(({ waiting }) => waiting)
})

/** Answers all where the storage is gone; otherwise gives them back, so that what one does wrong is no other's fault. */
const giveUp = (
  batch: ReadonlyArray<Waiting>,
  { cause }: Exit.Failure<unknown, StoreError>
): ReadonlyArray<Waiting> => {
  if (!isGone(cause)) return batch
  for (const { answer } of batch) answer(Exit.failCause(cause))
  return []
}

/**
 * Loads, decides and commits a batch in two round trips. What was overtaken, or has to wait for somebody else's
 * transaction, is left to be done alone; a second refund of one payment is left for the next batch.
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
