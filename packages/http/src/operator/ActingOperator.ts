import type { OperatorActionDraft } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect } from "effect"
import { CurrentOperator, CurrentProvisioner } from "../access/OperatorAccess.js"

/** Returns undefined to record no action. */
export type Describe<A> = (result: A) => OperatorActionDraft | undefined

/**
 * Builds a function that makes a change as the request's operator. The action that `describe` returns, if any, is
 * recorded in the same commit.
 */
export const makeActing = Effect.map(
  OperatorActions,
  (actions) =>
    <A, E, R>(change: Effect.Effect<A, E, R>, describe: Describe<A>) =>
      Effect.flatMap(CurrentOperator, ({ name }) => actions.record(name, change, describe))
)

/** Like `makeActing`, for provisioning routes. If they are open, the caller is unknown and no action is recorded. */
export const makeProvisioning = Effect.map(
  OperatorActions,
  (actions) =>
    <A, E, R>(change: Effect.Effect<A, E, R>, describe: Describe<A>) =>
      Effect.flatMap(CurrentProvisioner, ({ operator }) =>
        operator === undefined ? change : actions.record(operator.name, change, describe)
      )
)
