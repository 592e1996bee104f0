import { Effect } from "effect"

/** One command in three steps. `S` is the snapshot, `D` the decision. */
export interface DecisionSteps<S, D, E1, R1, E2, R2, E3, R3> {
  /** A snapshot that the caller has loaded already. It saves the first `load`, and may be stale. */
  readonly loaded?: S | undefined
  /** Reads everything that `decide` needs, at one moment. */
  readonly load: Effect.Effect<S, E1, R1>
  /** Stores nothing, since it may run many times. */
  readonly decide: (snapshot: S) => Effect.Effect<D, E2, R2>
  /**
   * Stores the decision all or nothing, or nothing if the snapshot no longer holds. Returns whether it held; true for a
   * decision that stores nothing.
   */
  readonly commit: (decision: D, snapshot: S) => Effect.Effect<boolean, E3, R3>
}

/**
 * Loads, decides and commits, and starts over while concurrent changes make the decision stale. Returns the decision
 * that stands, or fails with the first failure of any step. It ends if each stale commit means that another one
 * succeeded.
 */
export const decideUntilCommitted = Effect.fnUntraced(function* <S, D, E1, R1, E2, R2, E3, R3>({
  commit,
  decide,
  load,
  loaded
}: DecisionSteps<S, D, E1, R1, E2, R2, E3, R3>) {
  let snapshot = loaded ?? (yield* load)
  while (true) {
    const decision = yield* decide(snapshot)
    if (yield* commit(decision, snapshot)) return decision
    snapshot = yield* load
  }
})
