import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { type MovedBy, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import type { StoreError } from "@surety/core/StoreError"
import { Context, DateTime, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import type { Turn, Turns } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import { latestFirst, makeMergePages } from "./mergePages.js"
import type { Router } from "./Router.js"

const actionsOf = Context.get(OperatorActionStore)

type Actions = OperatorActionStore["Service"]
type Describe<A> = (result: A) => OperatorAction | undefined

/** The operator whose amounts `commitAlone` limits, and the turns under which they were added up. */
interface Alone {
  readonly of: MovedBy
  readonly turns: Turns
}

/** Returns the turn of `commitAlone`: one for each operator, currency and environment. */
const movedTurn = ({ actor, currency, environment }: MovedBy): Turn =>
  JSON.stringify(["moved", environment, currency, actor.toLowerCase()])

/**
 * Stores operators' actions across cells. A trial run finds the cell that the change writes to. An action that belongs
 * to that cell is committed together with its change. Any other action is committed in its own cell before the change.
 * An action belongs to its merchant's cell, or to the home cell if it has no merchant.
 */
export const operatorActionStore = (router: Router): Actions => {
  const { at, cellOf, directory, home, names } = router
  const mergePages = makeMergePages(router)
  const operation = "OperatorActionStore.commit"

  const cellOfAction = ({ merchantId }: OperatorAction): Effect.Effect<CellName, StoreError> =>
    merchantId === undefined ? Effect.succeed(home) : cellOf(merchantId)

  /**
   * Runs the change in the cell and commits it together with its action. Joins the cell's commit if one has begun. If
   * the action belongs to another cell, it is committed there before the change. `alone` runs the commit of `commitAlone`.
   */
  const keptIn = <A, E, R>(
    cell: CellName,
    change: Effect.Effect<A, E, R>,
    describe: Describe<A>,
    alone?: Alone
  ): Effect.Effect<A, E | StoreError, R> => {
    let isElsewhere = false
    let isKept = false
    const whole = Effect.tap(change, (result) =>
      Effect.gen(function* () {
        const action = describe(result)
        const own = action === undefined ? cell : yield* cellOfAction(action)
        isElsewhere = own !== cell
        // A change may run again after a conflict, but its action must be stored only once.
        if (!isElsewhere || isKept) return
        yield* at(own, operation)((stores) => actionsOf(stores).commit(Effect.void, () => action))
        isKept = true
      })
    )
    const described = (result: A) => (isElsewhere ? undefined : describe(result))
    return at(
      cell,
      operation
    )((stores) =>
      alone === undefined
        ? actionsOf(stores).commit(whole, described)
        : actionsOf(stores).commitAlone(alone.of, () => Effect.andThen(alone.turns.held, whole), described)
    )
  }

  const committed = <A, E, R>(
    change: Effect.Effect<A, E, R>,
    describe: Describe<A>,
    turns: Turns,
    alone?: Alone
  ): Effect.Effect<A, E | StoreError, R> =>
    Effect.gen(function* () {
      const current = yield* Commit.currentCell
      if (Option.isSome(current)) return yield* keptIn(current.value, change, describe, alone)
      if ((yield* Commit.stage) === "trial") {
        const result = yield* change
        const action = describe(result)
        if (action !== undefined) yield* Commit.writesTo(yield* cellOfAction(action))
        return result
      }
      const trial = yield* Commit.trial(change)
      if (trial._tag === "Writes") {
        return yield* Commit.within(trial.cell, turns)(keptIn(trial.cell, Commit.restarted(change), describe, alone))
      }
      const action = describe(trial.result)
      if (action !== undefined) {
        yield* at(
          yield* cellOfAction(action),
          operation
        )((stores) => actionsOf(stores).commit(Effect.void, () => action))
      }
      return trial.result
    })

  const commit: Actions["commit"] = (change, describe) =>
    Effect.scoped(Effect.flatMap(Commit.turnsOf(directory), (turns) => committed(change, describe, turns)))

  /** Returns the total amount that the operator moved alone through actions in the cell. */
  const movedIn = (cell: CellName, of: MovedBy) =>
    at(
      cell,
      "OperatorActionStore.list"
    )((stores) => actionsOf(stores).commitAlone(of, Effect.succeed<bigint>, () => undefined))

  // Adds up the amounts that the operator moved alone in all cells, then commits the change. Holds the turn until the
  // commit has ended, so no concurrent call can add to the total. If the directory ends the turn early, another call may
  // hold it. So the commit takes the operator's lock in its cell, which the sum of another call waits for, and then fails
  // if the turn has ended. If a cell is down, fails without running the change.
  const commitAlone = <A, E, R>(
    of: MovedBy,
    change: (movedMinor: bigint) => Effect.Effect<A, E, R>,
    describe: Describe<A>
  ): Effect.Effect<A, E | StoreError, R> =>
    Effect.scoped(
      Effect.gen(function* () {
        const turns = yield* Commit.turnsOf(directory)
        yield* Commit.takeTurn(turns, movedTurn(of))
        const moved = yield* Effect.forEach(names, (cell) => movedIn(cell, of), { concurrency: "unbounded" })
        const total = moved.reduce((sum, minor) => sum + minor, 0n)
        return yield* committed(change(total), describe, turns, { of, turns: yield* Commit.turnsHere(turns) })
      })
    )

  return {
    commit,
    commitAlone,
    list: (filter, page) =>
      mergePages(
        "OperatorActionStore.list",
        latestFirst(
          ({ at: time }: OperatorAction) => DateTime.toEpochMillis(time),
          ({ id }: OperatorAction) => id
        ),
        page,
        (stores, part) => actionsOf(stores).list(filter, part)
      )
  }
}
