import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { RefundLookup } from "@surety/core/refund/RefundStore"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { notify } from "../event/appendEvents.js"
import type { Database } from "../sql/Database.js"
import { commitRefunds, lockAccounts } from "./commitRefunds.js"
import { loadRefunds } from "./loadRefunds.js"

/** Arguments of one `RefundStore.execute` call. */
export interface Execution {
  readonly lookup: RefundLookup
  readonly decide: (snapshot: RefundSnapshot) => RefundDecision
}

export type ExecuteAlone = (execution: Execution) => Effect.Effect<RefundDecision, SqlError | Schema.SchemaError>

/**
 * Maximum number of attempts under locks. A decision is overtaken only if a refund of another payment with the same key
 * commits first.
 */
const maxOvertaken = 5

const decideOn = Effect.fnUntraced(function* (database: Database, { decide, lookup }: Execution) {
  const [snapshot] = yield* loadRefunds(database, [lookup])
  return snapshot === undefined ? yield* Effect.die(new Error("no snapshot")) : decide(snapshot)
})

const commit = Effect.fnUntraced(function* (database: Database, signal: DeliverySignal["Service"], plan: RefundPlan) {
  const { deliveries, plans } = yield* commitRefunds(database, [plan], undefined)
  yield* notify(database, signal, deliveries)
  return plans.has(plan)
})

const lockPayments = ({ name, sql }: Database, { paymentId, reference, scope }: RefundLookup) => {
  const ofScope = sql`merchant_id = ${toUuid(scope.merchantId)} and environment = ${scope.environment}`
  const ids = sql`
    select ${paymentId ?? null}::text
    union all select id from ${name("payment")} where reference = ${reference ?? null} and ${ofScope}`
  return sql`select 1 from ${name("payment")} where id in (${ids}) and ${ofScope} order by id for no key update`
}

/**
 * Builds a function that decides and commits under locks. Call it inside a transaction, which holds the locks until its
 * end. The function dies if `maxOvertaken` decisions in a row are overtaken.
 */
export const underLocks = (database: Database, signal: DeliverySignal["Service"]): ExecuteAlone =>
  Effect.fnUntraced(function* (execution) {
    yield* lockPayments(database, execution.lookup)
    const first = yield* decideOn(database, execution)
    if (first._tag !== "Execute") return first
    yield* lockAccounts(database, first.plan)
    for (let overtaken = 0; overtaken < maxOvertaken; overtaken += 1) {
      const decision = yield* decideOn(database, execution)
      if (decision._tag !== "Execute" || (yield* commit(database, signal, decision.plan))) return decision
    }
    return yield* Effect.die(new Error("the decision on a refund was not one that can be committed"))
  })

/**
 * Builds a function for use inside a caller's transaction. It decides without locks, and stores the refund if nothing
 * has changed since. Otherwise it decides again under locks.
 */
export const insideTransaction = (database: Database, signal: DeliverySignal["Service"]): ExecuteAlone => {
  const locked = underLocks(database, signal)
  return Effect.fnUntraced(function* (execution) {
    const decision = yield* decideOn(database, execution)
    if (decision._tag !== "Execute" || (yield* commit(database, signal, decision.plan))) return decision
    return yield* locked(execution)
  })
}
