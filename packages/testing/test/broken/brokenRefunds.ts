import { accountKeyText } from "@surety/core/ledger/Account"
import { makeDue } from "@surety/core/memory/event/MemoryOutbox"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { snapshotOf, writePlan } from "@surety/core/memory/refund/MemoryRefundStore"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import { type RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import * as Atomicity from "@surety/testing/refund/RefundAtomicityLaws"
import * as Concurrency from "@surety/testing/refund/RefundConcurrencyLaws"
import * as Execution from "@surety/testing/refund/RefundExecutionLaws"
import * as Scopes from "@surety/testing/refund/RefundScopeLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, countingPages, lookThenAct, type State } from "./Broken.js"

type Store = RefundStore["Service"]
type Decide = (snapshot: RefundSnapshot) => RefundDecision

/** Commits what is decided on a snapshot that may be wrong or old, and checks nothing. */
const commitUnchecked = (state: State, decide: Decide, snapshot: RefundSnapshot): Effect.Effect<RefundDecision> =>
  Effect.sync(() => {
    const decision = decide(snapshot)
    if (decision._tag === "Execute") writePlan(state, decision.plan)
    return decision
  })

/** Executes on a snapshot that is changed before it is decided on. */
const seeing =
  (state: State, change: (snapshot: RefundSnapshot, lookup: RefundLookup) => RefundSnapshot): Store["execute"] =>
  (lookup, decide) =>
    Effect.suspend(() => commitUnchecked(state, decide, change(snapshotOf(state, lookup), lookup)))

/** Executes as it should, and then does something to the state that an executed plan left. */
const spoiling =
  (sound: Store, spoil: (plan: RefundPlan) => void): Store["execute"] =>
  (lookup, decide) =>
    Effect.tap(sound.execute(lookup, decide), (decision) =>
      Effect.sync(() => {
        if (decision._tag === "Execute") spoil(decision.plan)
      })
    )

const executions: ReadonlyArray<Broken> = [
  broken(
    RefundStore,
    "forgets the event",
    (sound, state) => ({
      execute: spoiling(sound, ({ event }) => {
        if (event !== undefined) state.events.delete(event.id)
      })
    }),
    [Execution.commitsWholePlan]
  ),
  broken(
    RefundStore,
    "sends the event to every endpoint there is",
    (sound, state) => ({
      execute: spoiling(sound, ({ event }) => {
        for (const endpoint of state.endpoints.values()) {
          if (event !== undefined) makeDue(state, event, endpoint, event.occurredAt)
        }
      })
    }),
    [Execution.tellsEndpoints]
  ),
  broken(
    RefundStore,
    "wakes the dispatcher for nothing",
    (sound, _, signal) => ({ execute: (lookup, decide) => Effect.tap(sound.execute(lookup, decide), signal.notify) }),
    [Execution.sleepsWhenNobodyIsTold]
  ),
  broken(
    RefundStore,
    "forgets the key",
    (sound, state) => ({
      execute: spoiling(sound, ({ idempotencyKey, refund }) => {
        state.refundsByKey.delete(scopedKey(refund, idempotencyKey))
      })
    }),
    [Execution.replays, Execution.refusesReusedKey, Concurrency.oneRefundPerKey, Concurrency.oneRequestPerKey]
  ),
  broken(
    RefundStore,
    "keeps the key of a refused refund",
    (sound) => {
      const refused = new Set<string>()
      return {
        execute: (lookup, decide) => {
          const key = scopedKey(lookup.scope, lookup.idempotencyKey)
          if (refused.has(key)) return Effect.succeed({ _tag: "KeyReused" })
          return Effect.tap(sound.execute(lookup, decide), ({ _tag }) =>
            Effect.sync(() => {
              if (_tag === "Refuse") refused.add(key)
            })
          )
        }
      }
    },
    [Execution.refusalLeavesKeyFree]
  ),
  broken(
    RefundStore,
    "takes every wallet for open",
    (_, state) => ({ execute: seeing(state, (snapshot) => ({ ...snapshot, walletOpen: true })) }),
    [Execution.snapshotsTheState]
  )
]

const races: ReadonlyArray<Broken> = [
  broken(
    RefundStore,
    "decides on what it read, and commits later without looking again",
    (_, state) => ({
      execute: (lookup, decide) =>
        lookThenAct(
          () => snapshotOf(state, lookup),
          (snapshot) => commitUnchecked(state, decide, snapshot)
        )
    }),
    [
      Concurrency.neverMoreThanPaid,
      Concurrency.fillsExactly,
      Concurrency.oneFullRefund,
      Concurrency.oneRefundPerKey,
      Concurrency.oneRequestPerKey,
      Concurrency.settlementNeverOverdrawn
    ]
  ),
  broken(
    RefundStore,
    "does not know what was refunded before",
    (_, state) => ({
      execute: seeing(state, (snapshot) => ({
        ...snapshot,
        byId: snapshot.byId && { ...snapshot.byId, refundedMinor: 0n }
      }))
    }),
    [Concurrency.neverMoreThanPaid, Concurrency.fillsExactly, Concurrency.oneFullRefund]
  ),
  broken(
    RefundStore,
    "does not mind the settlement balance",
    (_, state) => ({ execute: seeing(state, (snapshot) => ({ ...snapshot, settlementMinor: 1_000_000n })) }),
    [Concurrency.settlementNeverOverdrawn]
  ),
  broken(
    RefundStore,
    "writes balances that it read before, over those of others",
    (sound, state) => ({
      execute: (lookup, decide) =>
        lookThenAct(
          () => new Map(state.accounts),
          (accounts) =>
            spoiling(sound, ({ transfer }) => {
              const key = accountKeyText(transfer.debit)
              const account = accounts.get(key)
              if (account === undefined) return
              state.accounts.set(key, { ...account, balanceMinor: account.balanceMinor - transfer.amount.minor })
            })(lookup, decide)
        )
    }),
    [Concurrency.hotAccountLosesNothing]
  ),
  broken(
    RefundStore,
    "leaves half of what it could not store",
    (sound, state) => ({
      execute: (lookup, decide) =>
        Effect.onError(sound.execute(lookup, decide), () =>
          Effect.sync(() => {
            const { byId } = snapshotOf(state, lookup)
            if (byId === undefined) return
            state.payments.set(scopedKey(byId, byId.id), { ...byId, refundedMinor: byId.refundedMinor + 1n })
          })
        )
    }),
    [Atomicity.allOrNothing, Atomicity.nothingUnderPressure]
  )
]

const scopes: ReadonlyArray<Broken> = [
  broken(
    RefundStore,
    "finds refunds of other merchants and environments",
    (_, state) => ({
      find: (_scope, id) => Effect.sync(() => Option.fromUndefinedOr(state.refunds.get(id)?.refund))
    }),
    [Scopes.strangersSeeNothing]
  ),
  broken(
    RefundStore,
    "has one set of keys for all",
    (_, state) => ({
      execute: seeing(state, (snapshot, { idempotencyKey }) => {
        const stored = [...state.refunds.values()].find((each) => each.idempotencyKey === idempotencyKey)
        return stored === undefined
          ? snapshot
          : {
              ...snapshot,
              prior: { refundId: stored.refund.id, fingerprint: stored.fingerprint, answer: stored.answer }
            }
      })
    }),
    [Scopes.strangersShareNames, Scopes.strangersSeeNothing]
  ),
  broken(
    RefundStore,
    "counts rows for a cursor",
    (sound) => ({ list: (scope, filter, page) => countingPages((all) => sound.list(scope, filter, all))(page) }),
    [Scopes.listsNewestFirst]
  ),
  broken(
    RefundStore,
    "starts anew where it cannot read a cursor",
    (sound) => ({
      list: (scope, filter, page) =>
        Effect.flatMap(sound.list(scope, filter, page), (found) =>
          found.data.length > 0 ? Effect.succeed(found) : sound.list(scope, filter, { ...page, cursor: undefined })
        )
    }),
    [Scopes.foreignCursor]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...executions, ...races, ...scopes]
