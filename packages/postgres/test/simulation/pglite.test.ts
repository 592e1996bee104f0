import { storyOf, tellBeside } from "@surety/testing/simulation/Simulation"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { pgliteBeside } from "./pgliteBeside.js"

/**
 * Time limit in milliseconds. Most of it is for opening and migrating the database, which is far slower on a busy
 * machine.
 */
const patience = 300_000

/** Number of acts, enough for a few hundred steps. `npx pnpm simulate --store pglite --minutes …` runs more. */
const acts = 25

it(
  "an embedded database beside a story answers each call as the memory stores do",
  () =>
    Effect.gen(function* () {
      const beside = yield* pgliteBeside
      const told = yield* Effect.promise(() => tellBeside(storyOf(1, { acts }), { beside }))
      expect(told.violation).toBeUndefined()
      expect(told.steps).toBeGreaterThan(200)
    }).pipe(Effect.scoped, Effect.runPromise),
  patience
)
