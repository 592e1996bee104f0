import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit, type Scope } from "effect"
import { isGone, timedOut } from "../connection/storeFailure.js"
import { notify } from "../event/appendEvents.js"
import * as Batcher from "../sql/Batcher.js"
import type { Database } from "../sql/Database.js"
import { commitRefunds } from "./commitRefunds.js"
import { type Execution, insideTransaction, underLocks } from "./executeAlone.js"
import { loadRefunds } from "./loadRefunds.js"

const operation = "RefundStore.execute"

type Waiting = Batcher.Waiting<Execution, RefundDecision, StoreError>
type Rest = Batcher.Rest<Execution, RefundDecision, StoreError>

interface Decided {
  readonly waiting: Waiting
  readonly decision: Extract<RefundDecision, { readonly _tag: "Execute" }>
}

interface BatchContext {
  readonly database: Database
  readonly signal: DeliverySignal["Service"]
}

const paymentKey = ({ paymentId, refund }: RefundPlan): string =>
  `${refund.merchantId}/${refund.environment}/${paymentId}`

/**
 * Completes callers whose decision fails or needs no commit. Selects one refund per payment to commit, and defers the
 * rest.
 */
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

/**
 * Commits the batch in one statement. Returns the items to run alone: those not committed, or none if the storage is
 * unavailable.
 */
const commitAll = Effect.fnUntraced(function* ({ database, signal }: BatchContext, decided: ReadonlyArray<Decided>) {
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
 * Fails every caller if the storage is unavailable. Otherwise returns the batch, so that each item runs alone and a bad
 * one does not fail the others.
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
 * Loads, decides and commits a batch in two round trips. Items that the commit leaves out run alone afterwards. A
 * second refund of the same payment goes to the next batch.
 */
const executeBatch = Effect.fnUntraced(function* (
  context: BatchContext,
  batch: ReadonlyArray<Waiting>
): Effect.fn.Return<Rest> {
  const { database } = context
  const lookups = batch.map(({ input }) => input.lookup)
  const exit = yield* Effect.exit(database.verb(operation)(loadRefunds(database, lookups)))
  if (Exit.isFailure(exit)) return { later: [], alone: giveUp(batch, exit) }
  const { decided, later } = yield* decideAll(batch, exit.value)
  return { later, alone: decided.length === 0 ? [] : yield* commitAll(context, decided) }
})

/**
 * When to start another batch alongside a running one. Large batches cost less per refund, but a batch that waits for a
 * lock must not delay others.
 */
const beside = { waiting: 16, slowMillis: 10 }

/** When to wait for more callers before a batch. The wait costs less time than the additional batch that it avoids. */
const gather = { waiting: 32, millis: 2 }

const keysOf = ({ lookup: { idempotencyKey, paymentId, reference, scope } }: Execution): ReadonlyArray<string> => {
  const prefix = `${scope.merchantId}/${scope.environment}`
  return [
    `${prefix}/key/${idempotencyKey}`,
    ...(paymentId === undefined ? [] : [`${prefix}/id/${paymentId}`]),
    ...(reference === undefined ? [] : [`${prefix}/reference/${reference}`])
  ]
}

/**
 * Builds `RefundStore.execute`, which runs in batches. A merchant's settlement account stays locked until the commit is
 * on disk, so single commits would limit the merchant's throughput. Committing many refunds takes hardly longer than
 * committing one. Inside a host's transaction a refund runs alone, so that it commits together with the host's rows.
 */
export const make = Effect.fnUntraced(function* (
  database: Database,
  signal: DeliverySignal["Service"]
): Effect.fn.Return<RefundStore["Service"]["execute"], never, Scope.Scope> {
  const { inTransaction, settings, sql, verb } = database
  const inside = insideTransaction(database, signal)
  const locked = underLocks(database, signal)
  const millis = settings.operationTimeoutMillis
  const batched = yield* Batcher.make<Execution, RefundDecision, StoreError>({
    maxBatch: settings.refundBatchSize,
    atOnce: settings.refundBatchesAtOnce,
    beside,
    gather,
    aloneAtOnce: settings.refundsAloneAtOnce,
    keysOf,
    run: (batch) => executeBatch({ database, signal }, batch),
    runAlone: (execution) => verb(operation)(sql.withTransaction(locked(execution))),
    limit: { millis, error: () => timedOut(operation, millis) }
  })
  return (lookup, decide) =>
    Effect.flatMap(inTransaction, (isInside) =>
      isInside ? verb(operation)(inside({ lookup, decide })) : batched({ lookup, decide })
    )
})
