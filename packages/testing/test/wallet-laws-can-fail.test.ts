import { assert, describe, it } from "@effect/vitest"
import * as WalletLaws from "@surety/testing/refund/WalletLaws"
import { Cause, Effect, Exit } from "effect"
import { FakeWallet, faults } from "./faults/wallets.js"

const sound = new FakeWallet()

WalletLaws.suite("memory", sound.layer(), sound.underTest)

describe("The laws of a wallet", () => {
  for (const [how, { caughtBy, change }] of Object.entries(faults)) {
    it.live(`catch one that ${how}`, () =>
      Effect.gen(function* () {
        const wallet = new FakeWallet()
        const layer = wallet.layer(change(wallet))
        const failed: Array<string> = []
        for (const { body, name } of WalletLaws.lawsOf(wallet.underTest)) {
          const exit = yield* Effect.exit(Effect.provide(Effect.scoped(body), layer))
          if (Exit.isSuccess(exit)) continue
          const error = Cause.squash(exit.cause)
          assert.strictEqual(error instanceof Error ? error.name : error, "AssertionError", String(error))
          failed.push(name)
        }
        for (const beginning of caughtBy)
          assert.isTrue(
            failed.some((name) => name.startsWith(beginning)),
            beginning
          )
      })
    )
  }

  it("are each broken by one of these", () => {
    const caught = Object.values(faults).flatMap(({ caughtBy }) => caughtBy)
    for (const { name } of WalletLaws.lawsOf(sound.underTest)) {
      assert.isTrue(
        caught.some((beginning) => name.startsWith(beginning)),
        name
      )
    }
  })
})
