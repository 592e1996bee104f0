import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { RefundDecision } from "@surety/core/refund/decideRefund"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, type Scope } from "effect"
import { timedOut } from "../connection/storeFailure.js"
import * as Batcher from "../sql/Batcher.js"
import type { Database } from "../sql/Database.js"
import { type Execution, insideTransaction, underLocks } from "./executeAlone.js"
import { executeBatch } from "./executeBatch.js"

const operation = "RefundStore.execute"

/** A batch of one costs four times as much per refund as one of sixteen; a batch that waits for a lock holds up none. */
const beside = { waiting: 16, slowMillis: 10 }

/** The keys that no two executions in flight share: the idempotency key, and each name of the payment. */
const keysOf = ({ lookup: { idempotencyKey, paymentId, reference, scope } }: Execution): ReadonlyArray<string> => {
  const prefix = `${scope.merchantId}/${scope.environment}`
  return [
    `${prefix}/key/${idempotencyKey}`,
    ...(paymentId === undefined ? [] : [`${prefix}/id/${paymentId}`]),
    ...(reference === undefined ? [] : [`${prefix}/reference/${reference}`])
  ]
}

/**
 * `RefundStore.execute`, in batches: a merchant's settlement account is locked until the commit is on disk, and a
 * commit of many refunds takes no longer than that of one. Inside a host's transaction it runs alone, so that the
 * host's rows and the refund commit together.
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
    aloneAtOnce: settings.refundsAloneAtOnce,
    keysOf,
    run: (batch) => executeBatch({ database, signal, operation }, batch),
    runAlone: (execution) => verb(operation)(sql.withTransaction(locked(execution))),
    limit: { millis, error: () => timedOut(operation, millis) }
  })
  return (lookup, decide) =>
    Effect.flatMap(inTransaction, (isInside) =>
      isInside ? verb(operation)(inside({ lookup, decide })) : batched({ lookup, decide })
    )
})
