import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { StorePorts } from "@surety/core/StorePorts"
import { layerDigest } from "@surety/testing/simulation/host/SimulatedCrypto"
import { defaultActs, storyOf, tellBeside } from "@surety/testing/simulation/Simulation"
import { Effect, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import { after, answering, type Everything, faultsOf, instead } from "../faults/Fault.js"

const sound = MemoryStores.layerHashing.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryState.layer, DeliverySignal.layer)),
  Layer.provide(layerDigest)
)

const refunds = faultsOf(RefundStore)
const actions = faultsOf(OperatorActionStore)

/**
 * Runs the story of a seed and repeats its store operations on the stores of `layer`. Operations listed in `notBeside`
 * (`Beside.ts`) are not repeated.
 */
const told = (layer: Layer.Layer<StorePorts>, seed: number, acts: number = defaultActs) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Layer.build(layer), (beside) =>
        Effect.promise(() =>
          tellBeside(storyOf(seed, { acts, about: seed === 3 ? "console" : "money" }), { beside }, true)
        )
      )
    )
  )

const over = (wrong: Layer.Layer<never, never, Everything | MemoryState.MemoryState>): Layer.Layer<StorePorts> =>
  Layer.provideMerge(wrong, sound)

describe("stores beside a story", () => {
  it("agree if they are the same, in a story that runs twice in the same way", async () => {
    for (const seed of [1, 3]) {
      const one = await told(sound, seed, 40)
      const other = await told(sound, seed, 40)
      expect(one.violation).toBeUndefined()
      expect(other.lines).toEqual(one.lines)
    }
  })

  it.each([
    [
      "answers something else",
      1,
      answering(refunds("find", "finds nothing"), () => Option.none()),
      /^RefundStore\.find is /u
    ],
    [
      "forgets a key",
      1,
      after(refunds("execute", "forgets the key of a refund"), (state, decision) => {
        if (decision._tag === "Execute") state.refundsByKey.clear()
      }),
      /^RefundStore\.execute/u
    ],
    [
      "loses what an operator changed",
      3,
      instead(actions("commit", "runs no change"), () => () => Effect.die(new Error("lost"))),
      /^OperatorActionStore\.commit commits, and beside it returns/u
    ]
  ])("are found to differ if one %s", async (_, seed, { over: wrong }, detail) => {
    const { violation } = await told(over(wrong), seed)
    expect(violation?.invariant).toBe("stores_agree")
    expect(violation?.detail).toMatch(detail)
  })
})
