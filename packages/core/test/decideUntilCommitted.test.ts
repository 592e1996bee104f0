import { assert, it } from "@effect/vitest"
import { decideUntilCommitted } from "@surety/core/decideUntilCommitted"
import { Effect } from "effect"

it.effect("loads and decides again until the commit finds its snapshot unchanged", () =>
  Effect.gen(function* () {
    let stored = 0
    let others = 2
    const commits: Array<readonly [decision: number, snapshot: number]> = []
    const decision = yield* decideUntilCommitted({
      load: Effect.sync(() => stored),
      decide: (snapshot) => Effect.succeed(snapshot + 100),
      commit: (decision, snapshot) =>
        Effect.sync(() => {
          commits.push([decision, snapshot])
          if (others-- > 0) stored += 1
          return stored === snapshot
        })
    })
    assert.strictEqual(decision, 102)
    assert.deepStrictEqual(commits, [
      [100, 0],
      [101, 1],
      [102, 2]
    ])
  })
)

it.effect("stops at the first failure of a step", () =>
  Effect.gen(function* () {
    let loads = 0
    const error = yield* Effect.flip(
      decideUntilCommitted({
        load: Effect.sync(() => ++loads),
        decide: (snapshot) => Effect.succeed(snapshot),
        commit: (decision) => (decision === 2 ? Effect.fail("store is down") : Effect.succeed(false))
      })
    )
    assert.strictEqual(error, "store is down")
    assert.strictEqual(loads, 2)
  })
)
