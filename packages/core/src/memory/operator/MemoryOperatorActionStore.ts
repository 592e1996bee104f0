import { DateTime, Effect, Layer, Semaphore } from "effect"
import { isSameOperator } from "../../operator/approval/Proposal.js"
import { foldedName } from "../../operator/Operator.js"
import type { OperatorAction } from "../../operator/OperatorAction.js"
import { type MovedBy, type OperatorActionFilter, OperatorActionStore } from "../../operator/OperatorActionStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { MemoryState } from "../MemoryState.js"

const isWithin =
  ({ since, until }: Pick<OperatorActionFilter, "since" | "until">) =>
  ({ at }: OperatorAction): boolean =>
    (since === undefined || DateTime.isGreaterThanOrEqualTo(at, since)) &&
    (until === undefined || DateTime.isLessThan(at, until))

const changedTo = ({ changes }: OperatorAction, field: string) => changes.find((change) => change.field === field)?.to

const movedMinor = (
  { operatorActions }: MemoryState["Service"],
  { actor, currency, environment, kinds, since }: MovedBy
): bigint => {
  const isMoving = matches<OperatorAction>({ environment })
  let sum = 0n
  for (const action of operatorActions.values()) {
    const isTheirs =
      kinds.some((kind) => kind === action.kind) &&
      isMoving(action) &&
      isSameOperator(action.actor, actor) &&
      DateTime.isGreaterThanOrEqualTo(action.at, since) &&
      changedTo(action, "currency") === currency &&
      changedTo(action, "proposal") === undefined
    if (isTheirs) sum += BigInt(String(changedTo(action, "amountMinor") ?? 0))
  }
  return sum
}

export const make = (state: MemoryState["Service"]): OperatorActionStore["Service"] => {
  /** Semaphores that serialise `commitAlone` calls, one per operator, environment and currency. */
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = ({ actor, currency, environment }: MovedBy): Semaphore.Semaphore => {
    const name = [foldedName(actor), environment, currency].join(" ")
    const turn = turns.get(name) ?? Semaphore.makeUnsafe(1)
    turns.set(name, turn)
    return turn
  }

  // Neither an interruption nor a crash separates the change from its action. The change is uninterruptible, and a
  // crash of the process also loses the state.
  const commit: OperatorActionStore["Service"]["commit"] = (change, describe) =>
    Effect.uninterruptible(
      Effect.tap(change, (result) =>
        Effect.sync(() => {
          const action = describe(result)
          if (action === undefined) return
          requireThat(!state.operatorActions.has(action.id), "an operator action's id is new", action.id)
          state.operatorActions.set(action.id, action)
        })
      )
    )

  return OperatorActionStore.of({
    commit,

    commitAlone: (of, change, describe) =>
      turnOf(of).withPermits(1)(
        commit(
          Effect.suspend(() => change(movedMinor(state, of))),
          describe
        )
      ),

    list: ({ since, until, ...wanted }, page) => {
      const isWanted = matches<OperatorAction>(wanted)
      const isInTime = isWithin({ since, until })
      return listRecords(
        () => state.operatorActions.values(),
        {
          where: (action) => isWanted(action) && isInTime(action),
          position: ({ at, id }) => positionAt(at, id)
        },
        page
      )
    }
  })
}

export const layer: Layer.Layer<OperatorActionStore, never, MemoryState> = Layer.effect(
  OperatorActionStore,
  Effect.map(MemoryState, make)
)
