import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type AccountKey, accountKeyText } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Effect } from "effect"
import * as PageWalk from "../PageWalk.js"

/** The account's stored balance in minor units; `undefined` where it is not open. */
export const balanceMinor = Effect.fnUntraced(function* (key: AccountKey) {
  const ledger = yield* Ledger
  const accounts = yield* PageWalk.all((page) => ledger.balances(key.environment, page), 100)
  return accounts.find((account) => accountKeyText(account.key) === accountKeyText(key))?.balanceMinor
})

/** Fails unless debits equal credits in every currency, and nothing that is stored twice differs. */
export const expectSound: Effect.Effect<void, unknown, Ledger> = Effect.gen(function* () {
  const ledger = yield* Ledger
  for (const { creditsMinor, currency, debitsMinor, environment } of yield* ledger.trialBalance) {
    assert.strictEqual(debitsMinor, creditsMinor, `trial balance of ${environment} ${currency}`)
  }
  assertEquals([...(yield* ledger.audit)], [], "the audit finds no fault")
})
