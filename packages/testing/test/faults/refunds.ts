import { accountPartText } from "@surety/core/ledger/Account"
import { makeDue } from "@surety/core/memory/event/MemoryOutbox"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { snapshotOf, writePlan } from "@surety/core/memory/refund/MemoryRefundStore"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import { type LeasedRefund, type RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import * as Claims from "@surety/testing/event/DeliveryClaimLaws"
import * as Pending from "@surety/testing/refund/PendingRefundLaws"
import * as Atomicity from "@surety/testing/refund/RefundAtomicityLaws"
import * as Concurrency from "@surety/testing/refund/RefundConcurrencyLaws"
import * as Execution from "@surety/testing/refund/RefundExecutionLaws"
import * as Lists from "@surety/testing/refund/RefundListLaws"
import * as Scopes from "@surety/testing/refund/RefundScopeLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  around,
  asking,
  type Broken,
  before,
  broken,
  countingPages,
  deciding,
  edit,
  faultsOf,
  instead,
  leaving,
  lookingFirst,
  type Row,
  type State
} from "./Fault.js"

type Store = RefundStore["Service"]
type Decide = (snapshot: RefundSnapshot) => RefundDecision

const fault = faultsOf(RefundStore)

/** Decides from the given snapshot, which may be wrong or stale, and commits the result unchecked. */
const commitUnchecked = (state: State, decide: Decide, snapshot: RefundSnapshot): Effect.Effect<RefundDecision> =>
  Effect.sync(() => {
    const decision = decide(snapshot)
    if (decision._tag === "Execute") writePlan(state, decision.plan)
    return decision
  })

const misreading = (
  row: Row<Store["execute"]>,
  change: (snapshot: RefundSnapshot, state: State, lookup: RefundLookup) => RefundSnapshot
): Broken =>
  row(
    (_, state) => (lookup, decide) =>
      Effect.suspend(() => commitUnchecked(state, decide, change(snapshotOf(state, lookup), state, lookup)))
  )

const afterPlan = (row: Row<Store["execute"]>, change: (state: State, plan: RefundPlan) => unknown): Broken =>
  after(row, (state, decision) => (decision._tag === "Execute" ? change(state, decision.plan) : undefined))

const executions: ReadonlyArray<Broken> = [
  afterPlan(
    fault("execute", "forgets the event", Execution.commitsWholePlan),
    (state, { event }) => event && state.events.delete(event.id)
  ),
  afterPlan(fault("execute", "sends the event to every endpoint", Execution.tellsEndpoints), (state, { event }) => {
    if (event === undefined) return
    for (const endpoint of state.endpoints.values()) makeDue(state, event, endpoint, event.occurredAt)
  }),
  broken(
    RefundStore,
    "wakes the dispatcher without a delivery",
    [Execution.sleepsWhenNobodyIsTold],
    ({ execute }, _, signal) => ({
      execute: (lookup, decide) => Effect.tap(execute(lookup, decide), signal.notify)
    })
  ),
  afterPlan(
    fault(
      "execute",
      "forgets the key",
      Execution.replays,
      Execution.refusesReusedKey,
      Concurrency.oneRefundPerKey,
      Concurrency.oneRequestPerKey
    ),
    (state, { idempotencyKey, refund }) => state.refundsByKey.delete(scopedKey(refund, idempotencyKey))
  ),
  instead(fault("execute", "keeps the key of a refused refund", Execution.refusalLeavesKeyFree), (execute) => {
    const refused = new Set<string>()
    return (lookup, decide) => {
      const key = scopedKey(lookup.scope, lookup.idempotencyKey)
      if (refused.has(key)) return Effect.succeed({ _tag: "KeyReused" })
      return Effect.tap(execute(lookup, decide), ({ _tag }) => Effect.sync(() => _tag === "Refuse" && refused.add(key)))
    }
  }),
  misreading(fault("execute", "takes every wallet for open", Execution.snapshotsTheState), (snapshot) => ({
    ...snapshot,
    walletOpen: true
  })),
  deciding(
    fault("execute", "drops the trace of a refund's event", Claims.carriesTraceOfRefund),
    (decision: RefundDecision) => {
      if (decision._tag !== "Execute" || decision.plan.event === undefined) return decision
      const { traceparent: _, ...event } = decision.plan.event
      return { ...decision, plan: { ...decision.plan, event } }
    }
  )
]

const races: ReadonlyArray<Broken> = [
  lookingFirst(
    fault(
      "execute",
      "decides on a read and commits later without a check",
      Concurrency.neverMoreThanPaid,
      Concurrency.fillsExactly,
      Concurrency.oneFullRefund,
      Concurrency.oneRefundPerKey,
      Concurrency.oneRequestPerKey,
      Concurrency.settlementNeverOverdrawn
    ),
    (state, [lookup]) => snapshotOf(state, lookup),
    (snapshot, _, [, decide], state) => commitUnchecked(state, decide, snapshot)
  ),
  misreading(
    fault(
      "execute",
      "ignores earlier refunds",
      Concurrency.neverMoreThanPaid,
      Concurrency.fillsExactly,
      Concurrency.oneFullRefund
    ),
    (snapshot) => ({
      ...snapshot,
      byId: snapshot.byId && { ...snapshot.byId, refundedMinor: 0n }
    })
  ),
  misreading(fault("execute", "ignores the settlement balance", Concurrency.settlementNeverOverdrawn), (snapshot) => ({
    ...snapshot,
    settlementMinor: 1_000_000n
  })),
  lookingFirst(
    fault("execute", "overwrites balances with ones that it read before", Concurrency.hotAccountLosesNothing),
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
  ),
  leaving(
    fault("execute", "leaves half of what it could not store", Atomicity.allOrNothing, Atomicity.nothingUnderPressure),
    (state, [lookup]) => {
      const { byId } = snapshotOf(state, lookup)
      if (byId === undefined) return
      state.payments.set(scopedKey(byId, byId.id), { ...byId, refundedMinor: byId.refundedMinor + 1n })
    }
  )
]

const scopes: ReadonlyArray<Broken> = [
  instead(
    fault("find", "finds refunds of other merchants and environments", Scopes.strangersSeeNothing),
    (_, state) => (_scope, id) => Effect.sync(() => Option.fromUndefinedOr(state.refunds.get(id)?.refund))
  ),
  misreading(
    fault("execute", "has one set of keys for all", Scopes.strangersShareNames, Scopes.strangersSeeNothing),
    (snapshot, state, { idempotencyKey }) => {
      const stored = [...state.refunds.values()].find((each) => each.idempotencyKey === idempotencyKey)
      if (stored === undefined) return snapshot
      const { answer, fingerprint, refund } = stored
      return { ...snapshot, prior: { refundId: refund.id, fingerprint, answer } }
    }
  ),
  instead(
    fault("list", "counts rows for a cursor", Scopes.listsNewestFirst),
    (list) => (scope, filter, page) => countingPages((all) => list(scope, filter, all))(page)
  ),
  instead(
    fault("list", "starts again at an unreadable cursor", Scopes.foreignCursor),
    (list) => (scope, filter, page) =>
      Effect.flatMap(list(scope, filter, page), (found) =>
        found.data.length > 0 ? Effect.succeed(found) : list(scope, filter, { ...page, cursor: undefined })
      )
  )
]

/** Makes a refund pending and unleased again, but keeps its fence. */
const reopen = (state: State, id: LeasedRefund["refund"]["id"]): void =>
  edit(state.refunds, id, (stored) => ({
    ...stored,
    refund: { ...stored.refund, status: "PENDING" as const },
    leasedUntil: undefined
  }))

/** Returns a copy of the lease with the refund's current fence, so that a stale lease passes the fence check. */
const asLatest = (state: State, leased: LeasedRefund): LeasedRefund => ({
  ...leased,
  fence: state.refunds.get(leased.refund.id)?.fence ?? leased.fence
})

const never = DateTime.makeUnsafe(8e15)

const pending: ReadonlyArray<Broken> = [
  afterPlan(
    fault("execute", "reserves no money for a pending refund", Pending.setsMoneyAside),
    (state, { paymentId, refund }) => {
      if (refund.status !== "PENDING") return
      edit(state.payments, scopedKey(refund, paymentId), (payment) => ({ ...payment, refundedMinor: 0n }))
    }
  ),
  lookingFirst(
    fault("lease", "checks before the lease whether a refund is free", Pending.oneHolder),
    (state, [id]) => state.refunds.get(id)?.leasedUntil === undefined,
    (free, lease, [id, now, until], state) => {
      if (free) reopen(state, id)
      return lease(id, now, until)
    }
  ),
  instead(fault("lease", "leases nothing", Pending.oneHolder), () => () => Effect.succeed(Option.none())),
  instead(
    fault("lease", "begins to count its leases at 2", Pending.firstFence),
    (lease) => (id, now, until) =>
      Effect.map(
        lease(id, now, until),
        Option.map((leased) => ({ ...leased, fence: leased.fence + 1 }))
      )
  ),
  asking(fault("lease", "never ends a lease", Pending.holdsEnd), ([id, now, until]) => [
    id,
    now,
    DateTime.add(until, { years: 100 })
  ]),
  before(fault("lease", "leases finished refunds", Pending.holdsOnlyPending), (state, [id]) => reopen(state, id)),
  asking(fault("due", "finds leased refunds", Pending.findsUnfinished), ([, madeBefore, limit]) => [
    never,
    madeBefore,
    limit
  ]),
  after(
    fault("settleCompleted", "forgets the response of a completed refund", Pending.completes),
    (state, _, [{ refund }]) => edit(state.refunds, refund.id, (stored) => ({ ...stored, answer: undefined }))
  ),
  around(
    fault("settleFailed", "keeps the key of a failed refund", Pending.fails),
    (state, [{ leased }]) => [...state.refundsByKey].filter(([, id]) => id === leased.refund.id),
    (keys, state) => {
      for (const [key, id] of keys) state.refundsByKey.set(key, id)
    }
  ),
  broken(
    RefundStore,
    "ignores the fence",
    [Pending.fencesKeepOlderLeaseOut],
    ({ settleCompleted: complete, settleFailed: fail }, state) => ({
      settleCompleted: (completion) =>
        Effect.suspend(() => complete({ ...completion, leased: asLatest(state, completion.leased) })),
      settleFailed: (failure) => Effect.suspend(() => fail({ ...failure, leased: asLatest(state, failure.leased) }))
    })
  ),
  lookingFirst(
    fault("settleCompleted", "checks the fence before the commit", Pending.oneOutcome),
    (state, [{ leased }]) => state.refunds.get(leased.refund.id)?.refund.status === "PENDING",
    (open, complete, [completion], state) => {
      if (open) reopen(state, completion.refund.id)
      return complete(completion)
    }
  ),
  leaving(
    fault("settleCompleted", "leaves half of an outcome that it could not store", Pending.outcomesAllOrNothing),
    (state, [{ refund }]) => edit(state.refunds, refund.id, (stored) => ({ ...stored, refund }))
  )
]

const lists: ReadonlyArray<Broken> = [
  asking(fault("listAll", "lists refunds of every status", Lists.filtersAll), ([filter, page]) => [
    { ...filter, status: undefined },
    page
  ]),
  instead(fault("findAny", "finds no refund without its merchant", Lists.filtersAll), () => () => Effect.succeedNone),
  instead(
    fault("listAll", "counts rows for a cursor of all refunds", Lists.listsAllNewestFirst),
    (list) => (filter, page) => countingPages((all) => list(filter, all))(page)
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...executions, ...races, ...scopes, ...pending, ...lists]
