import { Effect } from "effect"

/** One command in three steps. `S` is the snapshot, `D` the decision. */
export interface DecisionSteps<S, D, E1, R1, E2, R2, E3, R3> {
  /** A snapshot already loaded by the caller, used instead of the first `load`. May be stale. */
  readonly loaded?: S | undefined
  /** Reads the stored records on which the decision depends. */
  readonly load: Effect.Effect<S, E1, R1>
  /** Must store nothing, since it may run several times. */
  readonly decide: (snapshot: S) => Effect.Effect<D, E2, R2>
  /**
   * Stores the decision atomically and returns true. Also returns true if the decision has nothing to store. Returns
   * false, and stores nothing, if the snapshot is stale or the command must be decided again for another reason.
   */
  readonly commit: (decision: D, snapshot: S) => Effect.Effect<boolean, E3, R3>
}

/**
 * Loads, decides and commits, and starts over until `commit` returns true. Returns the committed decision, or fails
 * with the first failure of any step.
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
