import type { OperatorActionDraft } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import type { StoreError } from "@surety/core/StoreError"
import { Effect } from "effect"
import { type PageView, recordMissing, type SentChange } from "./ConsolePage.js"

/**
 * Makes a change as the session's operator and records its action, with the operator's reason, in the same commit.
 * Records no action if `describe` returns `undefined`, for example because the change had no effect.
 */
export const actingAs = <A, E, R>(
  { session }: PageView,
  { reason }: Pick<SentChange, "reason">,
  change: Effect.Effect<A, E, R>,
  describe: (result: A) => OperatorActionDraft | undefined
): Effect.Effect<A, E | StoreError, R | OperatorActions> =>
  Effect.flatMap(OperatorActions, (actions) =>
    actions.record(session.operator, change, (result) => {
      const draft = describe(result)
      return draft === undefined ? undefined : { ...draft, reason }
    })
  )

/** Reads a record for a page. Any failure except `StoreError` counts as a missing record. */
export const orMissing = <A, E extends { readonly _tag: string }, R>(read: Effect.Effect<A, E, R>) =>
  Effect.catchIf(read, (error): error is Exclude<E, StoreError> => error._tag !== "StoreError", recordMissing)
