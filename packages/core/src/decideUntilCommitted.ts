import { Effect } from "effect"

/**
 * Loads, decides and commits, again until a commit holds. `commit` returns whether the loaded state still stood and the
 * decision is stored; a decision that needs no commit holds as it is. Fails with the first refusal or failure of any
 * step.
 *
 * @example
 * decideUntilCommitted({ load: get(id), decide: (merchant) => move(merchant, to), commit: store.transition })
 */
export const decideUntilCommitted = Effect.fnUntraced(function* <Snapshot, Decision, E1, R1, E2, R2, E3, R3>({
  commit,
  decide,
  load
}: {
  readonly load: Effect.Effect<Snapshot, E1, R1>
  readonly decide: (snapshot: Snapshot) => Effect.Effect<Decision, E2, R2>
  readonly commit: (decision: Decision, snapshot: Snapshot) => Effect.Effect<boolean, E3, R3>
}) {
  while (true) {
    const snapshot = yield* load
    const decision = yield* decide(snapshot)
    if (yield* commit(decision, snapshot)) return decision
  }
})
