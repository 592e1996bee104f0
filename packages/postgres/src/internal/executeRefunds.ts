import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Exit, type Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Batcher from "./Batcher.js"
import { commitRefunds, lockAccounts } from "./commitRefunds.js"
import type { Database, InnerError } from "./Database.js"
import { loadRefunds } from "./loadRefunds.js"
import { notify } from "./notify.js"
import { isUnavailableCause } from "./storeFailure.js"

const operation = "RefundStore.execute"

/** How often a decision may be overtaken under locks: only a key that another payment's refund takes can do so. */
const maxOvertaken = 5

/** One call of `execute`. */
interface Execution {
  readonly lookup: RefundLookup
  readonly decide: (snapshot: RefundSnapshot) => RefundDecision
}

type Waiting = Batcher.Waiting<Execution, RefundDecision, StoreError>

/** A decision to refund, and who waits for it. */
interface Decided {
  readonly waiting: Waiting
  readonly decision: Extract<RefundDecision, { readonly _tag: "Execute" }>
}

/** What no two executions may work on at the same time: the key, and each name of the payment. */
const keysOf = ({ lookup: { idempotencyKey, paymentId, reference, scope } }: Execution): ReadonlyArray<string> => {
  const prefix = `${scope.merchantId}/${scope.environment}`
  return [
    `${prefix}/key/${idempotencyKey}`,
    ...(paymentId === undefined ? [] : [`${prefix}/id/${paymentId}`]),
    ...(reference === undefined ? [] : [`${prefix}/reference/${reference}`])
  ]
}

const paymentKey = ({ paymentId, refund }: RefundPlan): string =>
  `${refund.merchantId}/${refund.environment}/${paymentId}`

/** `RefundStore.execute`: in batches, or alone on the connection of a host's transaction. */
export const make = Effect.fnUntraced(function* (
  database: Database,
  signal: DeliverySignal["Service"]
): Effect.fn.Return<RefundStore["Service"]["execute"], never, Scope.Scope> {
  const { inTransaction, name, settings, sql, verb } = database

  const decideOn = Effect.fnUntraced(function* ({ decide, lookup }: Execution) {
    const [snapshot] = yield* loadRefunds(database, [lookup])
    return snapshot === undefined ? yield* Effect.die(new Error("no snapshot")) : decide(snapshot)
  })

  const commit = Effect.fnUntraced(function* (plan: RefundPlan) {
    const { deliveries, plans } = yield* commitRefunds(database, [plan])
    yield* notify(database, signal, deliveries)
    return plans.has(plan)
  })

  const lockPayments = ({ lookup: { paymentId, reference, scope } }: Execution) => {
    const ofScope = sql`merchant_id = ${toUuid(scope.merchantId)} and environment = ${scope.environment}`
    const ids = sql`
      select ${paymentId ?? null}::text
      union all select id from ${name("payment")} where reference = ${reference ?? null} and ${ofScope}`
    return sql`
      select 1 from ${name("payment")} where id in (${ids}) and ${ofScope} order by id for no key update`
  }

  /** Decides and commits under locks, inside a transaction: nobody can overtake it but by taking the key. */
  const underLocks = Effect.fnUntraced(function* (
    execution: Execution
  ): Effect.fn.Return<RefundDecision, SqlError | Schema.SchemaError> {
    yield* lockPayments(execution)
    const first = yield* decideOn(execution)
    if (first._tag !== "Execute") return first
    yield* lockAccounts(database, first.plan)
    for (let overtaken = 0; overtaken < maxOvertaken; overtaken += 1) {
      const decision = yield* decideOn(execution)
      if (decision._tag !== "Execute" || (yield* commit(decision.plan))) return decision
    }
    return yield* Effect.die(new Error("the decision on a refund was not one that can be committed"))
  })

  const alone = (execution: Execution): Effect.Effect<RefundDecision, StoreError> =>
    verb(operation)(sql.withTransaction(underLocks(execution)))

  /** On the connection of a host's transaction, so that the host's rows and the refund are committed together. */
  const inside = Effect.fnUntraced(function* (execution: Execution): Effect.fn.Return<RefundDecision, InnerError> {
    const decision = yield* decideOn(execution)
    if (decision._tag !== "Execute" || (yield* commit(decision.plan))) return decision
    return yield* underLocks(execution)
  })

  /** One after the other, so that what one does wrong is not the others' fault. */
  const oneByOne = (waitings: ReadonlyArray<Waiting>): Effect.Effect<void> =>
    Effect.forEach(
      waitings,
      (waiting) => Effect.map(Effect.exit(alone(waiting.input)), (exit) => waiting.answer(exit)),
      { discard: true }
    )

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

  const commitAll = Effect.fnUntraced(function* (decided: ReadonlyArray<Decided>) {
    const exit = yield* Effect.exit(
      verb(operation)(
        commitRefunds(
          database,
          decided.map(({ decision }) => decision.plan)
        )
      )
    )
    if (Exit.isFailure(exit)) {
      if (!isUnavailableCause(exit.cause)) return yield* oneByOne(decided.map(({ waiting }) => waiting))
      for (const { waiting } of decided) waiting.answer(Exit.failCause(exit.cause))
      return
    }
    const { deliveries, plans } = exit.value
    yield* notify(database, signal, deliveries)
    for (const { decision, waiting } of decided) if (plans.has(decision.plan)) waiting.answer(Exit.succeed(decision))
    yield* oneByOne(decided.filter(({ decision }) => !plans.has(decision.plan)).map(({ waiting }) => waiting))
  })

  const run = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
    const exit = yield* Effect.exit(
      verb(operation)(
        loadRefunds(
          database,
          batch.map(({ input }) => input.lookup)
        )
      )
    )
    if (Exit.isFailure(exit)) {
      if (isUnavailableCause(exit.cause)) for (const { answer } of batch) answer(Exit.failCause(exit.cause))
      else yield* oneByOne(batch)
      return []
    }
    const { decided, later } = yield* decideAll(batch, exit.value)
    if (decided.length > 0) yield* commitAll(decided)
    return later
  })

  const batched = yield* Batcher.make<Execution, RefundDecision, StoreError>({
    maxBatch: settings.refundBatchSize,
    atOnce: settings.refundBatchesAtOnce,
    keysOf,
    run
  })

  return (lookup, decide) =>
    Effect.flatMap(inTransaction, (isInside) =>
      verb(operation)(isInside ? inside({ lookup, decide }) : batched({ lookup, decide }))
    )
})
