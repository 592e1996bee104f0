import { assert, describe, it } from "@effect/vitest"
import { HostRefunds, leaseTime, lookupTimeout, walletTimeout } from "@surety/core/refund/HostRefunds"
import type { WalletKnowledge, WalletUnavailable } from "@surety/core/refund/Wallet"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { credited, declined, refund, sceneOf, unavailable } from "./PendingScene.js"

/**
 * Builds a scene whose wallet has `lookup`, and records all calls to the wallet. By default an earlier credit has an
 * unknown outcome.
 */
const lookupScene = (
  found: Effect.Effect<WalletKnowledge, WalletUnavailable>,
  { count = 1, fence = 2 }: { readonly count?: number; readonly fence?: number } = {}
) => {
  const calls: Array<string> = []
  const scene = sceneOf(
    () =>
      Effect.as(
        Effect.sync(() => calls.push("credit")),
        credited
      ),
    { count, fence },
    {
      lookup: ({ refundId }) =>
        Effect.andThen(
          Effect.sync(() => calls.push(`lookup ${refundId}`)),
          found
        )
    }
  )
  return { ...scene, calls }
}

describe("a wallet that can be asked what it has done", () => {
  const asked = `lookup ${refund.id}`

  it.effect("is not asked before the first credit: nothing came before it", () => {
    const { calls, completed, run } = lookupScene(Effect.fail(unavailable), { fence: 1 })
    return Effect.gen(function* () {
      yield* (yield* HostRefunds).finish(refund.id)
      assert.deepStrictEqual([calls, completed.length], [["credit"], 1])
    }).pipe(run)
  })

  it.effect("has credited: the refund is completed, and not credited again", () => {
    const { calls, completed, run } = lookupScene(Effect.succeed(credited))
    return Effect.gen(function* () {
      yield* (yield* HostRefunds).finish(refund.id)
      assert.deepStrictEqual([calls, completed.length], [[asked], 1])
    }).pipe(run)
  })

  it.effect("has declined: the refund is undone, and not credited", () => {
    const { calls, failed, run } = lookupScene(Effect.succeed(declined))
    return Effect.gen(function* () {
      const error = yield* Effect.flip((yield* HostRefunds).finish(refund.id))
      assert.deepInclude(error, { _tag: "WalletDeclined", reason: "wallet closed" })
      assert.deepStrictEqual([calls, failed.length], [[asked], 1])
    }).pipe(run)
  })

  it.effect("knows nothing of it: then it is asked to credit", () => {
    const { calls, completed, run } = lookupScene(Effect.succeed({ _tag: "NotKnown" }))
    return Effect.gen(function* () {
      yield* (yield* HostRefunds).finish(refund.id)
      assert.deepStrictEqual([calls, completed.length], [[asked, "credit"], 1])
    }).pipe(run)
  })

  const wrong: Readonly<Record<string, Effect.Effect<unknown, WalletUnavailable>>> = {
    "does not answer": Effect.fail(unavailable),
    "never answers": Effect.never,
    "answers another form": Effect.succeed({ _tag: "Credited", error: "frozen" })
  }
  for (const [how, found] of Object.entries(wrong)) {
    it.effect(`${how}: the refund stays pending, and nothing is credited meanwhile`, () => {
      const { calls, completed, failed, run } = lookupScene(found as Effect.Effect<WalletKnowledge, WalletUnavailable>)
      return Effect.gen(function* () {
        const asking = yield* Effect.forkChild(Effect.flip((yield* HostRefunds).finish(refund.id)))
        yield* TestClock.adjust(lookupTimeout)
        assert.strictEqual((yield* Fiber.join(asking))._tag, "WalletUnavailable")
        assert.deepStrictEqual([calls, completed.length, failed.length], [[asked], 0, 0])
      }).pipe(run)
    })
  }

  it("is never asked twice at once: a lease outlasts a lookup and a credit", () => {
    assert.isAbove(Duration.toMillis(leaseTime), Duration.toMillis(Duration.sum(lookupTimeout, walletTimeout)))
  })
})
