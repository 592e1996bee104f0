import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { postPlanOf, toConsumer } from "@surety/testing/ledger/FreshOperatorTransfer"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect, Latch } from "effect"
import { someoneWaits } from "../someoneWaits.js"
import * as TestStores from "../TestStores.js"

/**
 * Takes the locks of an erasure: first the person, then the person's accounts once `other` waits. Fails if `other`
 * already holds the accounts.
 */
const besideErasure = Effect.fnUntraced(function* <A, E, R>(
  { environment, userId }: Consumer,
  other: Effect.Effect<A, E, R>
) {
  const sql = yield* PgClient.PgClient
  const isHeld = Latch.makeUnsafe(false)
  const isAwaited = Latch.makeUnsafe(false)
  const erasing = Effect.gen(function* () {
    yield* sql`select 1 from surety.consumer where id = ${userId} and environment = ${environment} for update`
    yield* isHeld.open
    yield* isAwaited.await
    yield* sql`set local lock_timeout = '500ms'`
    return yield* sql`
      select 1 from surety.account where user_id = ${userId} and environment = ${environment} for update`
  })
  return yield* Effect.all(
    {
      accounts: sql.withTransaction(erasing),
      done: Effect.andThen(isHeld.await, other),
      waited: Effect.andThen(isHeld.await, Effect.andThen(someoneWaits, isAwaited.open))
    },
    { concurrency: "unbounded" }
  )
})

it.layer(TestStores.postgres, { excludeTestServices: true })("while a person is erased", (it) => {
  it.effect.each([{ kind: "FUNDING" }, { kind: "WITHDRAWAL" }] as const)(
    "an operator's $kind waits without an account that the erasure needs",
    ({ kind }) =>
      Effect.gen(function* () {
        const store = yield* OperatorTransferStore
        const sale = yield* FreshPayment.settled()
        yield* store.post(postPlanOf(toConsumer(sale, { kind: "FUNDING" })))
        const post = store.post(postPlanOf(toConsumer(sale, { kind })))
        const { accounts, done } = yield* besideErasure(sale.consumer, post)
        assert.isNotEmpty(accounts)
        assert.strictEqual(done._tag, "Posted")
      })
  )

  it.effect("a payment from the wallet waits without it", () =>
    Effect.gen(function* () {
      const sale = yield* FreshPayment.settled()
      const funding = toConsumer(sale, { kind: "FUNDING", amount: sale.payment.amount })
      yield* (yield* OperatorTransferStore).post(postPlanOf(funding))
      const { payment } = yield* FreshPayment.unstored({ scope: sale.scope, consumer: sale.consumer })
      const paid = (yield* PaymentStore).record(FreshPayment.fromBalanceOf(payment))
      const { accounts, done } = yield* besideErasure(sale.consumer, paid)
      assert.isNotEmpty(accounts)
      assert.strictEqual(done, "recorded")
    })
  )
})
