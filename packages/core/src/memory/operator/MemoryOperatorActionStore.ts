import { DateTime, Effect, Layer } from "effect"
import type { OperatorAction } from "../../operator/OperatorAction.js"
import { type OperatorActionFilter, OperatorActionStore } from "../../operator/OperatorActionStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { MemoryState } from "../MemoryState.js"

const isWithin =
  ({ since, until }: Pick<OperatorActionFilter, "since" | "until">) =>
  ({ at }: OperatorAction): boolean =>
    (since === undefined || DateTime.isGreaterThanOrEqualTo(at, since)) &&
    (until === undefined || DateTime.isLessThan(at, until))

export const make = (state: MemoryState["Service"]): OperatorActionStore["Service"] =>
  OperatorActionStore.of({
    // Nothing comes between the change and its action: neither an interruption nor the end of the process, with which
    // the state is gone.
    commit: (change, describe) =>
      Effect.uninterruptible(
        Effect.tap(change, (result) =>
          Effect.sync(() => {
            const action = describe(result)
            if (action === undefined) return
            requireThat(!state.operatorActions.has(action.id), "an operator action's id is new", action.id)
            state.operatorActions.set(action.id, action)
          })
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

export const layer: Layer.Layer<OperatorActionStore, never, MemoryState> = Layer.effect(
  OperatorActionStore,
  Effect.map(MemoryState, make)
)
