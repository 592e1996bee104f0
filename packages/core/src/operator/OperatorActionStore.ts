import { Context, type DateTime, type Effect } from "effect"
import type { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorAction, OperatorActionKind } from "./OperatorAction.js"

/** Selects actions. Undefined fields do not filter. */
export interface OperatorActionFilter {
  readonly actor: string | undefined
  readonly kind: OperatorActionKind | undefined
  readonly target: string | undefined
  readonly merchantId: MerchantId | undefined
  readonly serviceId: ConsumerId | undefined
  /** Inclusive. */
  readonly since: DateTime.Utc | undefined
  /** Exclusive. */
  readonly until: DateTime.Utc | undefined
}

/** Kinds of actions that record the moved amount in `amountMinor` and `currency`. */
export type MovingKind = Extract<OperatorActionKind, "transfer.posted" | "payment.recorded">

/** Selects what an operator moved, by name (`foldedName`), in one currency and environment, from `since` on. */
export interface MovedBy {
  readonly actor: string
  /** Never empty. */
  readonly kinds: ReadonlyArray<MovingKind>
  readonly environment: Environment
  readonly currency: Currency
  /** Inclusive. */
  readonly since: DateTime.Utc
}

export class OperatorActionStore extends Context.Service<
  OperatorActionStore,
  {
    /**
     * Runs `change`, which calls methods of the other stores, and stores the action that `describe` derives from its
     * result, in the same commit. An undefined action is not stored. If `change` fails, nothing is stored and its error
     * is returned.
     *
     * `change` may run again after a conflict. It must commit at most once, as its last step that can fail, since a
     * store without transactions cannot undo it.
     */
    readonly commit: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorAction | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /**
     * Like `commit`, but passes `change` the sum that the operator has already moved alone, in minor units. This is the
     * sum of the operator's actions of these kinds, except those with a `proposal`, which a second operator approved.
     * Such commits of one operator, currency and environment run one at a time, so each sees the one before.
     */
    readonly commitAlone: <A, E, R>(
      of: MovedBy,
      change: (movedMinor: bigint) => Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorAction | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /** Newest first. */
    readonly list: (filter: OperatorActionFilter, page: PageRequest) => Effect.Effect<Page<OperatorAction>, StoreError>
  }
>()("@surety/core/operator/OperatorActionStore") {}
