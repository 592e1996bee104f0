import { assert, it } from "@effect/vitest"
import { laws } from "@surety/testing/AllLaws"
import { Cause, Effect, Exit } from "effect"
import { brokenStores } from "./faults/BrokenStores.js"

for (const { caughtBy, how, layer } of brokenStores) {
  for (const { body, name } of caughtBy) {
    it.live(`catches a store that ${how}: "${name}"`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.provide(Effect.scoped(body), layer))
        if (Exit.isSuccess(exit)) return assert.fail("the law passed")
        const error = Cause.squash(exit.cause)
        assert.strictEqual(error instanceof Error ? error.name : error, "AssertionError", String(error))
      })
    )
  }
}

it("catches something with every law", () => {
  const catching = new Set(brokenStores.flatMap(({ caughtBy }) => caughtBy))
  assert.deepStrictEqual(
    laws.filter((law) => !catching.has(law)).map(({ name }) => name),
    []
  )
})
