import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as HostTransaction from "@surety/postgres/HostTransaction"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { refundsOf } from "../refund/RefundedSale.js"
import * as HostOfPool from "./HostOfPool.js"

const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(HostOfPool.client),
  Layer.provideMerge(Layer.provide(HostOfPool.layer, MigratedDatabase.layer))
)

it.layer(stores, { excludeTestServices: true })("With a host's pool", (it) => {
  describe("a refund in a transaction that the host has begun", () => {
    const transaction = Effect.fnUntraced(function* (ending: "commit" | "rollback") {
      const pool = yield* HostOfPool.Host
      const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const note = Fresh.randomText("note")
      yield* Effect.promise(() => pool.query("create table if not exists host_note (text text primary key)"))
      const connection = yield* Effect.promise(() => pool.connect())
      yield* Effect.promise(() => connection.query("begin"))
      yield* Effect.promise(() => connection.query("insert into host_note values ($1)", [note]))
      const plan = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n }).pipe(
        HostTransaction.inTransaction(connection)
      )
      const before = yield* refundsOf(sale)
      yield* Effect.promise(() => connection.query(ending))
      connection.release()
      const notes = yield* Effect.promise(() => pool.query("select 1 from host_note where text = $1", [note]))
      return { plan, before, after: yield* refundsOf(sale), notes: notes.rowCount, sale }
    })

    it.effect("is visible to no one before the host commits, and there with the host's rows afterwards", () =>
      Effect.gen(function* () {
        const { after, before, notes, plan } = yield* transaction("commit")
        assertEquals([...before], [])
        assertEquals([...after], [plan.refund])
        assert.strictEqual(notes, 1)
        yield* LedgerChecks.expectSound
      })
    )

    it.effect("leaves nothing when the host rolls back, and its key is free", () =>
      Effect.gen(function* () {
        const { after, notes, sale } = yield* transaction("rollback")
        assertEquals([...after], [])
        assert.strictEqual(notes, 0)
        yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1_000n })
        yield* LedgerChecks.expectSound
      })
    )
  })

  describe("a transaction of a verb's own, inside the host's", () => {
    it.effect("is undone alone, also if several are begun at once, and never ends the host's", () =>
      Effect.gen(function* () {
        const pool = yield* HostOfPool.Host
        const sql = yield* PgClient
        yield* Effect.promise(() => pool.query("create table verb_note (text text primary key)"))
        const connection = yield* Effect.promise(() => pool.connect())
        const within = HostTransaction.inTransaction(connection)
        const note = (text: string) => sql.withTransaction(sql`insert into verb_note values (${text})`)
        const undone = (text: string) => sql.withTransaction(Effect.andThen(note(text), Effect.fail("undone")))
        yield* Effect.promise(() => connection.query("begin"))
        yield* Effect.all([within(note("a")), Effect.exit(within(undone("b"))), within(note("c"))], { concurrency: 3 })
        const seen = yield* Effect.promise(() => pool.query("select 1 from verb_note"))
        assert.strictEqual(seen.rowCount, 0)
        yield* Effect.promise(() => connection.query("commit"))
        connection.release()
        const kept = yield* Effect.promise(() => pool.query("select text from verb_note order by text"))
        assert.deepStrictEqual(kept.rows, [{ text: "a" }, { text: "c" }])
      })
    )
  })

  describe("a client over a host's pool", () => {
    it.effect("reads and writes values as the other driver does", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient
        const at = new Date(1_700_000_000_123)
        const [row] =
          yield* sql`select ${7}::int4 as small, ${9_007_199_254_740_993n}::int8 as large, ${"é\n"}::text as text,
        ${true}::bool as yes, ${at}::timestamptz as at, ${null}::text as nothing, array['a', null, 'b,"c"']::text[] as list,
        ${sql.json({ a: [1] })} as json, ${new Uint8Array([0, 255])}::bytea as bytes`
        assert.deepStrictEqual(
          { ...row },
          {
            small: 7,
            large: 9_007_199_254_740_993n,
            text: "é\n",
            yes: true,
            at,
            nothing: null,
            list: ["a", null, 'b,"c"'],
            json: { a: [1] },
            bytes: new Uint8Array([0, 255])
          }
        )
      })
    )

    it.effect("gives every connection back, also after failures and interruptions", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient
        const pool = yield* HostOfPool.Host
        yield* Effect.exit(sql`select 1 / 0`)
        yield* Effect.exit(sql.withTransaction(sql`select 1 / 0`))
        yield* Effect.timeoutOption(sql`select pg_sleep(5)`, "20 millis")
        yield* sql.withTransaction(sql.withTransaction(sql`select 1`))
        assert.strictEqual(pool.totalCount - pool.idleCount, 0)
        assert.strictEqual(pool.waitingCount, 0)
      })
    )
  })
})
