import { assert, it } from "@effect/vitest"
import { deleteRows, withDeleteIndexes } from "@surety/cells/move/deleteRows"
import * as MoveFence from "@surety/cells/move/MoveFence"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Ledger } from "@surety/core/ledger/Ledger"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect, Fiber } from "effect"
import * as TestCells from "../TestCells.js"
import { databaseOf, heldIn, holders, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const people = 8

/** Creates people verified by this merchant alone. */
const verified = Effect.fnUntraced(function* ({ scope }: Shop.Shop) {
  const store = yield* KycStore
  for (let count = 0; count < people; count += 1) {
    const begun = yield* FreshVerification.make({ scope, tier: "TIER_1" })
    const progress = FreshVerification.verifiedBy(begun.leased)
    yield* store.settle({ ...progress, proof: FreshVerification.proofOf(progress.verification) })
  }
})

/** Waits until a statement that contains `words` is blocked by a lock in the eastern cell's database. */
const untilItWaits = Effect.fnUntraced(function* (words: string) {
  const { sql } = yield* databaseOf(east)
  yield* Effect.repeat(Effect.sleep("20 millis"), {
    until: () =>
      Effect.map(
        Effect.orDie(
          sql`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${words}) > 0`
        ),
        (rows) => rows.length > 0
      )
  })
})

/** Forks the deletion of the merchant's rows, in a transaction that is rolled back at the end. */
const deleting = Effect.fnUntraced(function* ({ merchant }: Shop.Shop) {
  const database = yield* databaseOf(east)
  yield* MoveFence.install(database)
  const rolledBack = Effect.andThen(
    deleteRows(database, crypto.randomUUID(), toUuid(merchant.id)),
    Effect.fail("rolled back")
  )
  return yield* Effect.forkChild(Effect.flip(database.sql.withTransaction(rolledBack)))
})

/**
 * Repeats the audit until it has stored an account's sums. The audit stores no sums of transfers newer than the oldest
 * open transaction on the server.
 */
const audited = Effect.gen(function* () {
  const { sql } = yield* databaseOf(east)
  const ledger = yield* Ledger
  yield* Effect.repeat(Effect.andThen(ledger.auditNext(true), Effect.sleep("20 millis")), {
    until: () => Effect.map(Effect.orDie(sql`select 1 from cell_east.verified_account`), (rows) => rows.length > 0)
  })
})

const isFree = Effect.fnUntraced(function* (rows: string) {
  const { sql } = yield* databaseOf(east)
  const locked = yield* sql.withTransaction(sql.unsafe(`select 1 from ${rows} for no key update nowait`))
  assert.isNotEmpty(locked, rows)
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("as a merchant's rows are deleted", (it) => {
  it.effect("what others write stays free until the merchant's own rows are gone", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const neighbour = yield* Shop.make(east)
      // Adds a second row to the customer's account, which the leaving merchant opened. Deleting the first row sets
      // `opens_account` on the second, and so locks it.
      yield* FreshPayment.settled({ scope: neighbour.scope, consumer: shop.consumer })
      yield* verified(shop)
      const log = yield* OverviewLog
      const since = Fresh.later(yield* Fresh.now, -120 * FreshEvent.minute)
      yield* log.countHours({ now: Fresh.later(yield* Fresh.now, FreshEvent.minute), since }, 10)
      yield* audited
      const own = toUuid(shop.merchant.id)
      const freed = yield* heldIn(east, `select 1 from cell_east.merchant where id = '${own}' for key share`)
      const deletion = yield* deleting(shop)
      yield* untilItWaits('delete from "cell_east".merchant ')
      yield* isFree("cell_east.hour_counted")
      yield* isFree("cell_east.hour_count")
      yield* isFree("cell_east.consumer")
      yield* isFree(`cell_east.account where merchant_id is distinct from '${own}'`)
      for (const table of ["point", "account", "total"]) yield* isFree(`cell_east.verified_${table}`)
      yield* freed
      assert.strictEqual(yield* Fiber.join(deletion), "rolled back")
    }).pipe(Effect.scoped)
  )

  it.effect("people are locked in their order: another transaction that does so too waits, and neither fails", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* verified(shop)
      const { sql } = yield* databaseOf(east)
      const ofThem = `cell_east.consumer c where exists (
        select from cell_east.kyc_evidence e
        where e.merchant_id = '${toUuid(shop.merchant.id)}' and e.user_id = c.id and e.environment = c.environment
      )`
      const rows = yield* sql<{ readonly id: string }>`
        ${sql.literal(`select c.id from ${ofThem} order by c.environment, c.id`)}`
      const [first, ...others] = rows.map(({ id }) => id)
      assert.lengthOf(others, people - 1)
      const freed = yield* heldIn(east, `select 1 from cell_east.consumer where id = '${first}' for no key update`)
      const deletion = yield* deleting(shop)
      yield* untilItWaits("set kyc_evidence_count")
      for (const id of others) yield* isFree(`cell_east.consumer where id = '${id}'`)
      yield* freed
      assert.strictEqual(yield* Fiber.join(deletion), "rolled back")
    }).pipe(Effect.scoped)
  )

  it.effect("leaves other deletions of the cell their indexes, also if one fails, and none at the end", () =>
    Effect.gen(function* () {
      const shops = yield* Effect.forEach([0, 1, 2, 3], () => Shop.make(east))
      yield* Effect.forEach(shops, (shop) => move(shop), { concurrency: "unbounded", discard: true })
      for (const shop of shops) assert.deepStrictEqual(yield* holders(shop), [west])
      const database = yield* databaseOf(east)
      const merchant = toUuid(shops[0]?.merchant.id ?? assert.fail("there is a shop"))
      const indexes = database.sql`select indexname from pg_indexes where indexname like 'surety_moves%'`
      const failing = Effect.andThen(
        Effect.map(indexes, (during) => assert.lengthOf(during, 2)),
        Effect.fail("it failed")
      )
      assert.strictEqual(yield* Effect.flip(failing.pipe(withDeleteIndexes(database, merchant))), "it failed")
      assert.deepStrictEqual(yield* indexes, [])
      yield* sound
    }).pipe(Effect.scoped)
  )
})
