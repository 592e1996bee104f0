import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { toUuid } from "@surety/core/Ids"
import { signalled } from "@surety/testing/event/DispatcherWakes"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { refundedMinor, refundsOf } from "../refund/RefundedSale.js"
import * as TestStores from "../TestStores.js"

class HostFailed extends Error {
  readonly _tag = "HostFailed"
}

for (const [adapter, layer] of [
  ["postgres", TestStores.postgres],
  ["pglite", TestStores.pglite]
] as const) {
  it.layer(layer, { excludeTestServices: true })(`a refund in a host's transaction (${adapter})`, (it) => {
    it.effect("is committed with the host's rows", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`create table if not exists host_note (text text primary key)`
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const note = Fresh.randomText("note")
        const plan = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into host_note values (${note})`
            return yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n })
          })
        )
        assertEquals([...(yield* refundsOf(sale))], [plan.refund])
        assert.lengthOf(yield* sql`select 1 from host_note where text = ${note}`, 1)
        yield* LedgerChecks.expectSound
      })
    )

    it.effect("is rolled back with the host's rows, no event is sent, and its key is free", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        yield* FreshEndpoint.make(sale.scope)
        const key = Fresh.idempotencyKey()
        const attempt = RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n, key })
        const failed = Effect.flip(sql.withTransaction(Effect.andThen(attempt, Effect.fail(new HostFailed()))))
        assert.isFalse(yield* signalled(failed))
        assertEquals([...(yield* refundsOf(sale))], [])
        assert.strictEqual(yield* refundedMinor(sale), 0n)
        const again = sql.withTransaction(attempt)
        assert.isTrue(yield* signalled(again), "the dispatcher is woken after the host's commit")
        assert.lengthOf(yield* refundsOf(sale), 1)
        yield* LedgerChecks.expectSound
      })
    )

    it.effect("sees what the host did before, and takes part in it several times", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const sale = yield* sql.withTransaction(
          Effect.gen(function* () {
            const made = yield* FreshPayment.settled({ amountMinor: 1_000n })
            yield* RefundAttempt.executed(made.scope, made.payment, { amountMinor: 400n })
            yield* RefundAttempt.executed(made.scope, made.payment, { amountMinor: 600n })
            const none = yield* RefundAttempt.make(made.scope, made.payment, { amountMinor: 1n })
            assert.strictEqual(RefundAttempt.nameOf(none), "AlreadyRefunded")
            return made
          })
        )
        assert.lengthOf(yield* refundsOf(sale), 2)
        yield* LedgerChecks.expectSound
      })
    )
  })
}

/** Long enough for unblocked work to finish before the timeout, even on a busy machine. */
const refundLockTimeoutMillis = 4_000

const longLocks = TestStores.postgresWith({ refundLockTimeoutMillis })

it.layer(longLocks, { excludeTestServices: true })("a host's transaction that takes long", (it) => {
  /**
   * Returns the time in milliseconds that 20 refunds of another merchant's sale take while a host's transaction is
   * open. The transaction locks rows with the statement `holding`. Fails unless a refund of `held` waits until the
   * transaction ends.
   */
  const bystander = Effect.fnUntraced(function* (held: FreshPayment.Sale, holding: string) {
    const sql = yield* PgClient.PgClient
    const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const taken = yield* Deferred.make<void>()
    const letGo = yield* Deferred.make<void>()
    const host = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(holding)
          yield* Deferred.succeed(taken, undefined)
          yield* Deferred.await(letGo)
        })
      )
    )
    yield* Deferred.await(taken)
    const start = yield* Clock.currentTimeMillis
    const stuck = yield* Effect.forkChild(RefundAttempt.executed(held.scope, held.payment, { amountMinor: 1n }))
    yield* Effect.forEach(
      Array.from({ length: 20 }),
      () => RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n }),
      { concurrency: "unbounded" }
    )
    const millis = (yield* Clock.currentTimeMillis) - start
    assert.isUndefined(stuck.pollUnsafe(), "what the host holds waits for it")
    yield* Deferred.succeed(letGo, undefined)
    yield* Fiber.join(host)
    yield* Fiber.join(stuck)
    assert.strictEqual(yield* refundedMinor(held), 1n)
    yield* LedgerChecks.expectSound
    return millis
  })

  it.effect("holds up no refund of another payment while it holds one", () =>
    Effect.gen(function* () {
      const held = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const rows = `select 1 from surety.payment where id = '${held.payment.id}' for update`
      assert.isBelow(yield* bystander(held, rows), refundLockTimeoutMillis)
    })
  )

  it.effect("holds up refunds of other merchants no longer than is set while it holds a merchant's account", () =>
    Effect.gen(function* () {
      const held = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const rows = `select 1 from surety.account where merchant_id = '${toUuid(held.scope.merchantId)}' for update`
      assert.isBelow(yield* bystander(held, rows), 2 * refundLockTimeoutMillis)
    })
  )
})
