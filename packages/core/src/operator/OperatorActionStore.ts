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

/** The kinds of actions that say in `amountMinor` and `currency` what was moved. */
export type MovingKind = Extract<OperatorActionKind, "transfer.posted" | "payment.recorded">

/** What an operator moved: by one name as `foldedName` folds it, in one currency and environment, from `since` on. */
export interface MovedBy {
  readonly actor: string
  /** At least one. */
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
     * Runs `change`, which calls verbs of the other stores, and stores the action that `describe` makes of its result:
     * both in one commit, or neither. Undefined stores no action. If `change` fails, nothing of it is stored, and its
     * error is returned.
     *
     * `change` may run again after a conflict. It commits at most once, as the last step that can fail: a store without
     * transactions cannot undo it.
     */
    readonly commit: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorAction | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /**
     * Like `commit`, with the sum that the operator moved alone before, in minor units: the sum of its actions of these
     * kinds, without those that name a `proposal`, which a second operator approved. Two of these commits of one
     * operator, currency and environment run one after the other, so each sees the one before.
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
