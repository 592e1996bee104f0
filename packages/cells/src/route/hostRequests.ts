import type { HostRequest, HostRequestOutcome, LeasedHostRequest } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { firstFence } from "@surety/core/Lease"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, type DateTime, Effect, Exit, Option } from "effect"
import type { CellName } from "../Cells.js"
import * as Commit from "./Commit.js"
import type { Router } from "./Router.js"

const requestsOf = Context.get(HostRequestStore)

/**
 * Returns the outcome of a request's work from the row in the work's cell. `None` if the row is pending and has no
 * result.
 */
const outcomeOf = ({ error, result, status }: HostRequest): Option.Option<HostRequestOutcome> => {
  if (status === "FAILED")
    return Option.map(Option.fromUndefinedOr(error), (failed) => ({ _tag: "Failed", error: failed }))
  if (status === "DONE") return Option.some({ _tag: "Done", result: result ?? {} })
  return Option.map(Option.fromUndefinedOr(result), (begun) => ({ _tag: "Begun", result: begun }))
}

const lost = (cell: CellName): StoreError =>
  new StoreError({
    operation: "HostRequestStore.settle",
    reason: new StoreUnavailable({ cause: new Error(`The cell "${cell}" did not store a host request's outcome`) })
  })

/**
 * A host's requests are in the home cell, since the host inserts them into that cell's table. Work in another cell
 * commits there together with its outcome, in a row that has the request's key. The home cell's row stays locked
 * throughout and commits afterwards. If the process dies between the two commits, the other cell's row prevents the
 * work from running twice.
 */
export const hostRequestStore = ({ at, atHome, directory, gatherCount, home, names }: Router) => {
  const operation = "HostRequestStore.settle"

  const findIn = (cell: CellName, { key }: LeasedHostRequest) =>
    at(cell, "HostRequestStore.find")((stores) => requestsOf(stores).find(key))

  /**
   * Settles the request's row in this cell under fence 0: the row is never leased, since the home cell holds the lease.
   */
  const settleIn = <E, R>(
    cell: CellName,
    leased: LeasedHostRequest,
    now: DateTime.Utc,
    work: Effect.Effect<HostRequestOutcome, E, R>
  ) => at(cell, operation)((stores) => requestsOf(stores).settle({ ...leased, fence: 0 }, now, work))

  /**
   * Returns an earlier attempt's outcome from a cell other than home. From the second lease on, it checks every such
   * cell, because the merchant may have moved. A cell that is down does not hide another's outcome. Fails if a cell is
   * down and no other has an outcome.
   */
  const earlierOutcome = Effect.fnUntraced(function* (cell: CellName, leased: LeasedHostRequest) {
    const asked = (leased.fence > firstFence ? names : [cell]).filter((name) => name !== home)
    const exits = yield* Effect.forEach(asked, (name) =>
      Effect.exit(Effect.map(findIn(name, leased), Option.flatMap(outcomeOf)))
    )
    const found = exits.find((exit) => Exit.isSuccess(exit) && Option.isSome(exit.value))
    return yield* found ?? exits.find(Exit.isFailure) ?? Effect.succeedNone
  })

  /** Commits the work and its outcome together in the cell, once. */
  const doneIn = <E, R>(
    cell: CellName,
    leased: LeasedHostRequest,
    now: DateTime.Utc,
    work: Effect.Effect<HostRequestOutcome, E, R>
  ) =>
    Effect.gen(function* () {
      const { key, kind } = leased
      yield* at(
        cell,
        operation
      )((stores) =>
        Effect.catchTag(
          requestsOf(stores).enqueue({ key, kind, payload: {}, queue: undefined }),
          "HostRequestKeyReused",
          () => Effect.fail(lost(cell))
        )
      )
      const settled = yield* settleIn(cell, leased, now, work)
      return Option.isSome(settled) ? settled.value : yield* Effect.fail(lost(cell))
    })

  /**
   * Settles the rows that an earlier attempt left pending in other cells. A no-op unless the request's work had begun
   * and now has a final outcome.
   */
  const endElsewhere = Effect.fnUntraced(function* (
    leased: LeasedHostRequest,
    now: DateTime.Utc,
    outcome: HostRequestOutcome
  ) {
    if (leased.result === undefined || (outcome._tag !== "Done" && outcome._tag !== "Failed")) return
    for (const cell of names.filter((name) => name !== home)) {
      const row = yield* findIn(cell, leased)
      if (Option.isNone(row) || row.value.status !== "PENDING") continue
      yield* settleIn(cell, leased, now, Effect.succeed(outcome))
    }
  })

  const settle: HostRequestStore["Service"]["settle"] = <E, R>(
    leased: LeasedHostRequest,
    now: DateTime.Utc,
    work: Effect.Effect<HostRequestOutcome, E, R>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const begun = yield* Commit.begin(yield* Commit.turnsOf(directory))
        const performed = Effect.gen(function* () {
          const trial = yield* Commit.trial(work)
          if (trial._tag === "WroteNothing") {
            yield* endElsewhere(leased, now, trial.result)
            return trial.result
          }
          const earlier = yield* earlierOutcome(trial.cell, leased)
          if (Option.isSome(earlier)) return earlier.value
          const committed = begun.in(trial.cell)(Commit.restarted(work))
          return yield* trial.cell === home ? committed : doneIn(trial.cell, leased, now, committed)
        })
        const settled = atHome(operation)((stores) => requestsOf(stores).settle(leased, now, performed))
        return yield* Effect.flatMap(Effect.exit(settled), begun.ended)
      })
    )

  return HostRequestStore.of({
    enqueue: (request) => atHome("HostRequestStore.enqueue")((stores) => requestsOf(stores).enqueue(request)),
    find: (key) => atHome("HostRequestStore.find")((stores) => requestsOf(stores).find(key)),
    claim: (claim) => atHome("HostRequestStore.claim")((stores) => requestsOf(stores).claim(claim)),
    settle,
    stats: (countLimit) => atHome("HostRequestStore.stats")((stores) => requestsOf(stores).stats(countLimit)),
    forget: (before, limit) =>
      gatherCount("HostRequestStore.forget")(limit, (stores, rest) => requestsOf(stores).forget(before, rest))
  })
}
