import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { OperatorActionId } from "../Ids.js"
import { KeyHolders } from "../merchant/KeyHolders.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorAction, OperatorActionDraft, OperatorActionKind } from "./OperatorAction.js"
import { type MovedBy, type OperatorActionFilter, OperatorActionStore } from "./OperatorActionStore.js"

/** Returns true if cached API key lookups must be dropped after an action of this kind, since they may be stale. */
const changesKeys = (kind: OperatorActionKind): boolean =>
  kind === "merchant.status_changed" || kind === "merchant.settings_changed" || kind.startsWith("api_key.")

/** Runs operators' changes and records them as actions in the same commit (contract 15.2). */
export class OperatorActions extends Context.Service<
  OperatorActions,
  {
    /**
     * Makes a change as `actor`. In the same commit, stores the action that `describe` derives from the result.
     * Stores no action if the change fails, or if `describe` returns undefined, for example because nothing changed.
     *
     * @example
     * actions.record("ada", merchants.changeStatus(id, { to: "ACTIVE", actor: "ada", reason }), ({ id }) => ({
     *   kind: "merchant.status_changed", target: id, merchantId: id, reason, changes: []
     * }))
     */
    readonly record: <A, E, R>(
      actor: string,
      change: Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorActionDraft | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /**
     * Like `record`, for money that an operator moves alone, without a second operator's approval. Passes `change` the
     * total, in minor units, that `of.actor` has already moved alone since `of.since`. Calls for the same operator,
     * currency and environment run one at a time.
     */
    readonly recordAlone: <A, E, R>(
      of: MovedBy,
      change: (movedMinor: bigint) => Effect.Effect<A, E, R>,
      describe: (result: A) => OperatorActionDraft | undefined
    ) => Effect.Effect<A, E | StoreError, R>

    /** Lists actions, newest first. */
    readonly list: (filter: OperatorActionFilter, page: PageRequest) => Effect.Effect<Page<OperatorAction>, StoreError>
  }
>()("@surety/core/operator/OperatorActions") {}

export const layer: Layer.Layer<OperatorActions, never, OperatorActionStore | KeyHolders | SecureRandom.SecureRandom> =
  Layer.effect(
    OperatorActions,
    Effect.gen(function* () {
      const store = yield* OperatorActionStore
      const keyHolders = yield* KeyHolders
      const random = yield* SecureRandom.SecureRandom
      const nextId = Effect.provideService(OperatorActionId.next, SecureRandom.SecureRandom, random)

      const kept = <A, E, R>(
        actor: string,
        describe: (result: A) => OperatorActionDraft | undefined,
        commit: (described: (result: A) => OperatorAction | undefined) => Effect.Effect<A, E, R>
      ) =>
        Effect.gen(function* () {
          const id = yield* nextId
          const at = yield* DateTime.now
          let forgets = false
          const result = yield* commit((made) => {
            const draft = describe(made)
            if (draft === undefined) return undefined
            forgets = changesKeys(draft.kind)
            return { id, actor, at, ...draft }
          })
          // Drops cached lookups after the commit, even if the change already did: a concurrent lookup may have cached
          // the old state before the commit.
          if (forgets) yield* keyHolders.forget
          return result
        })

      const record: OperatorActions["Service"]["record"] = (actor, change, describe) =>
        Effect.withSpan(
          kept(actor, describe, (described) => store.commit(change, described)),
          "OperatorActions.record"
        )

      const recordAlone: OperatorActions["Service"]["recordAlone"] = (of, change, describe) =>
        Effect.withSpan(
          kept(of.actor, describe, (described) => store.commitAlone(of, change, described)),
          "OperatorActions.recordAlone"
        )

      return OperatorActions.of({ record, recordAlone, list: store.list })
    })
  )
