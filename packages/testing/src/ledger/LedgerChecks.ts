import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { AccountKey } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Effect, Option } from "effect"

/** Returns the account's balance in minor units, or `undefined` if the account is not open. */
export const balanceMinor = Effect.fnUntraced(function* (key: AccountKey) {
  const ledger = yield* Ledger
  return Option.getOrUndefined(yield* ledger.balance(key))
})

/** Fails unless debits equal credits for every environment and currency, and the audit finds no fault. */
export const expectSound: Effect.Effect<void, unknown, Ledger> = Effect.gen(function* () {
  const ledger = yield* Ledger
  for (const { creditsMinor, currency, debitsMinor, environment } of yield* ledger.trialBalance) {
    assert.strictEqual(debitsMinor, creditsMinor, `trial balance of ${environment} ${currency}`)
  }
  assertEquals([...(yield* ledger.audit)], [], "the audit finds no fault")
})
