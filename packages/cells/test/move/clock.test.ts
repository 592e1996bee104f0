import { assert, it } from "@effect/vitest"
import { moving } from "@surety/cells/move/MoveTables"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import * as Attempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import { DateTime, Effect, Exit, Option } from "effect"
import * as TestCells from "../TestCells.js"
import { beside, databaseOf, layer, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

/** Returns the names of the tables in which work of the merchant is due no sooner than in centuries. */
const stuck = Effect.fnUntraced(function* ({ merchant }: Shop.Shop) {
  const { schema, sql } = yield* databaseOf(west)
  const id = toUuid(merchant.id)
  const parked = moving.flatMap(({ isTheirs, name, parked }) =>
    parked === undefined
      ? []
      : [{ name, column: parked.column, theirs: isTheirs(schema).replaceAll("$merchant", `'${id}'::uuid`) }]
  )
  const found = yield* Effect.forEach(parked, ({ column, name, theirs }) =>
    Effect.map(
      sql.unsafe(`select 1 from "${schema}".${name} t where ${theirs} and t.${column} > '3000-01-01'`),
      (rows) => (rows.length > 0 ? [name] : [])
    )
  )
  return found.flat()
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a merchant that moves", (it) => {
  it.effect("may advance its test clock meanwhile, and its work is due as much earlier afterwards", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const { sandbox } = shop
      yield* FreshEndpoint.make(sandbox)
      const event = yield* FreshEvent.make(sandbox, Fresh.later(yield* Fresh.now, 60 * FreshEvent.minute))
      yield* Attempt.askedAnew(sandbox, yield* FreshConsumer.linkedTo(sandbox))
      yield* FreshVerification.make({ scope: sandbox, at: yield* Fresh.now })
      const dueAt = Effect.gen(function* () {
        const [history] = yield* (yield* EventLog).deliveries(sandbox, event.id)
        return history?.delivery.nextAttemptAt ?? assert.fail("it is pending")
      })
      const before = yield* dueAt
      const store = yield* SandboxStore
      const advanced = Effect.map(store.advanceClock(shop.merchant.id, 1_800), Option.getOrThrow)
      assert.isTrue(Exit.isSuccess(yield* beside(shop, "parked", advanced)))
      assert.strictEqual(yield* Shop.cellOf(shop.merchant), west)
      assert.deepStrictEqual(yield* stuck(shop), [])
      assert.deepStrictEqual(yield* dueAt, DateTime.subtract(before, { seconds: 1_800 }))
      yield* sound
    }).pipe(Effect.scoped)
  )
})
