import { OperatorActionId } from "@surety/core/Ids"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import * as Actions from "@surety/testing/operator/OperatorActionStoreLaws"
import { DateTime, Effect } from "effect"
import { asking, type Broken, countingPages, faultsOf, instead, type State } from "./Fault.js"

const ofActions = faultsOf(OperatorActionStore)

const keep = (state: State, action: OperatorAction | undefined): void => {
  if (action !== undefined) state.operatorActions.set(action.id, action)
}

const again = (action: OperatorAction | undefined): OperatorAction | undefined =>
  action && { ...action, id: OperatorActionId.make(action.id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))) }

export const brokenStores: ReadonlyArray<Broken> = [
  instead(
    ofActions("commit", "makes a change and forgets its action", Actions.keepsActionWithChange),
    () => (change) => change
  ),
  instead(
    ofActions("commit", "keeps the action before the change", Actions.keepsNoneOfRefusal),
    (commit, state) => (change, describe) =>
      Effect.andThen(
        Effect.sync(() => keep(state, describe(true as never))),
        commit(change, () => undefined)
      )
  ),
  instead(
    ofActions("commit", "keeps a change's action twice", Actions.keepsActionWithChange, Actions.keepsOneOfEach),
    (commit, state) => (change, describe) =>
      commit(change, (result) => {
        const action = describe(result)
        keep(state, again(action))
        return action
      })
  ),
  instead(
    ofActions("commit", "keeps an action of changes that were not made", Actions.keepsOneOfEach),
    (commit) => (change, describe) => commit(change, () => describe(true as never))
  ),
  instead(
    ofActions("commitAlone", "returns every environment as LIVE", Actions.sumsWhatMovedAlone),
    (commitAlone) => (of, change, describe) => commitAlone({ ...of, environment: "LIVE" }, change, describe)
  ),
  instead(
    ofActions("commitAlone", "forgets the payments", Actions.sumsWhatMovedAlone),
    (commitAlone) => (of, change, describe) => commitAlone({ ...of, kinds: ["transfer.posted"] }, change, describe)
  ),
  instead(
    ofActions("commitAlone", "returns all times", Actions.sumsWhatMovedAlone),
    (commitAlone) => (of, change, describe) => commitAlone({ ...of, since: DateTime.makeUnsafe(0) }, change, describe)
  ),
  instead(
    ofActions("commitAlone", "keeps what failed", Actions.sumsWhatMovedAlone),
    (commitAlone, state) => (of, change, describe) =>
      Effect.onError(commitAlone(of, change, describe), () =>
        Effect.sync(() => keep(state, describe(undefined as never)))
      )
  ),
  instead(
    ofActions("commitAlone", "sums before its turn", Actions.oneAloneAfterAnother),
    (commitAlone, state) => (of, change, describe) =>
      Effect.flatMap(
        commitAlone(of, Effect.succeed, () => undefined),
        (moved) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.tap(change(moved), (made) => Effect.sync(() => keep(state, describe(made))))
          )
      )
  ),
  asking(ofActions("list", "lists every operator's actions", Actions.filters), ([filter, page]) => [
    { ...filter, actor: undefined },
    page
  ]),
  asking(ofActions("list", "lists actions of all kinds", Actions.filters), ([filter, page]) => [
    { ...filter, kind: undefined },
    page
  ]),
  asking(ofActions("list", "lists actions of all times", Actions.filters), ([filter, page]) => [
    { ...filter, since: undefined, until: undefined },
    page
  ]),
  instead(
    ofActions("list", "counts rows for a cursor", Actions.listsNewestFirst),
    (list) => (filter, page) => countingPages((all) => list(filter, all))(page)
  )
]
