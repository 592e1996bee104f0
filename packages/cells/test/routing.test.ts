import { assert, it } from "@effect/vitest"
import { routing } from "@surety/cells/routing"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { storePorts } from "@surety/core/StorePorts"
import { type Context, Effect, Layer } from "effect"
import { twoSchemas } from "./TestCells.js"

it.layer(twoSchemas, { timeout: 60_000, excludeTestServices: true })("the stores over cells", (it) => {
  it.effect("have a service and a route for every port", () =>
    Effect.gen(function* () {
      const context: Context.Context<never> = yield* Effect.context<never>()
      for (const { key } of storePorts) {
        assert.isTrue(context.mapUnsafe.has(key), key)
        assert.isNotEmpty(Object.values(routing[key]), key)
      }
    })
  )
  it.effect("take as many arguments as the stores in memory: one that may be omitted would be dropped silently", () =>
    Effect.gen(function* () {
      const overCells: Context.Context<never> = yield* Effect.context<never>()
      const inMemory: Context.Context<never> = yield* Layer.build(MemoryStores.layer)
      const dropping = storePorts.flatMap(({ key }) => {
        const routed = Object(overCells.mapUnsafe.get(key))
        const whole = Object(inMemory.mapUnsafe.get(key))
        return Object.keys(routed)
          .filter((verb) => typeof routed[verb] === "function" && routed[verb].length < whole[verb].length)
          .map((verb) => `${key}.${verb}`)
      })
      assert.deepStrictEqual(dropping, [])
    })
  )
})
