import { Context, type DateTime, type Effect } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
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

    /** Newest first. */
    readonly list: (filter: OperatorActionFilter, page: PageRequest) => Effect.Effect<Page<OperatorAction>, StoreError>
  }
>()("@surety/core/operator/OperatorActionStore") {}
