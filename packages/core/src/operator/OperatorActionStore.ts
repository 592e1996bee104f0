import { Context, type DateTime, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorAction, OperatorActionKind } from "./OperatorAction.js"

/** Undefined fields do not filter. */
export interface OperatorActionFilter {
  readonly actor: string | undefined
  readonly kind: OperatorActionKind | undefined
  readonly target: string | undefined
  readonly merchantId: MerchantId | undefined
  readonly serviceId: ConsumerId | undefined
  /** Start of the period in which the action was made, inclusive. */
  readonly since: DateTime.Utc | undefined
  /** End of the period in which the action was made, exclusive. */
  readonly until: DateTime.Utc | undefined
}

/**
 * Kinds of actions that count as moving money. Their `changes` state the amount in the fields `amountMinor` and
 * `currency`.
 */
export type MovingKind = Extract<OperatorActionKind, "transfer.posted" | "payment.recorded">

/**
 * Selects the amounts that an operator moved in one currency and environment from `since` on. Names are compared by
 * `foldedName`.
 */
export interface MovedBy {
  readonly actor: string
  /** Must not be empty. */
  readonly kinds: ReadonlyArray<MovingKind>
  readonly environment: Environment
  readonly currency: Currency
  /** Start of the period, inclusive. */
  readonly since: DateTime.Utc
}

export class OperatorActionStore extends Context.Service<
  OperatorActionStore,
  {
    /**
     * Runs `change`, which calls methods of the other stores. In the same commit, stores the action that `describe`
     * derives from the result. If the storage has cells, an action of another cell is committed there before the
     * change. If `describe` returns undefined, stores no action. If `change` fails, stores nothing and fails with its
     * error.
     *
     * `change` may run again after a conflict. It must commit at most once, as its last step that can fail. A store
     * without transactions cannot undo that commit.
     */
    readonly commit: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorAction | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /**
     * Like `commit`, but passes `change` the total, in minor units, that the operator has already moved alone. The
     * total covers the actions that `of` selects. Actions with a change of the field `proposal` are excluded, since a
     * second operator approved them. Calls for the same operator, currency and environment run one at a time. Each
     * total thus includes any amount that the previous call moved.
     */
    readonly commitAlone: <A, E, R>(
      of: MovedBy,
      change: (movedMinor: bigint) => Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorAction | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /** Lists actions, newest first. */
    readonly list: (filter: OperatorActionFilter, page: PageRequest) => Effect.Effect<Page<OperatorAction>, StoreError>
  }
>()("@surety/core/operator/OperatorActionStore") {}
