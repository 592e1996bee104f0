import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect } from "effect"
import { expectRefused } from "../expectRefused.js"
import * as TestStores from "../TestStores.js"

/**
 * A LIVE sale with 100 kobo refunded, and another merchant's TEST sale. Each merchant also has a sale in the other
 * environment.
 */
const books = Effect.gen(function* () {
  const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
  yield* FreshEndpoint.make(sale.scope)
  const { refund, transfer } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n })
  const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
  const other = yield* FreshPayment.settled({ scope: neighbour, amountMinor: 500n })
  yield* FreshPayment.settled({ scope: FreshMerchant.otherEnvironment(neighbour), amountMinor: 500n })
  yield* FreshPayment.settled({ scope: FreshMerchant.otherEnvironment(sale.scope), amountMinor: 500n })
  return {
    sale,
    refund,
    transfer,
    other,
    merchant: toUuid(sale.scope.merchantId),
    stranger: toUuid(neighbour.merchantId)
  }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("the tables hold, for any write", (it) => {
  it.effect("that transfers and changes of a merchant's status are never changed, deleted or truncated", () =>
    Effect.gen(function* () {
      yield* books
      for (const table of ["transfer", "merchant_status_change"]) {
        yield* expectRefused("never changed", `update surety.${table} set at = now()`)
        yield* expectRefused("never changed", `update surety.${table} set at = now() where false`)
        yield* expectRefused("never changed", `delete from surety.${table}`)
        yield* expectRefused("never changed", `truncate surety.${table} cascade`)
      }
    })
  )

  it.effect("that amounts are more than 0 and have at most 15 digits", () =>
    Effect.gen(function* () {
      const { sale } = yield* books
      const set = (column: string, value: string) => `update surety.payment set ${column} = ${value} where id = $1`
      for (const amount of ["0", "-1", "1000000000000000"]) {
        yield* expectRefused("payment_amount_check", set("amount_minor", amount), [sale.payment.id])
        yield* expectRefused("refund_amount_check", `update surety.refund set amount_minor = ${amount}`)
      }
    })
  )

  it.effect("that a merchant's own purpose has 1 to 500 characters", () =>
    Effect.gen(function* () {
      const { merchant } = yield* books
      const set = "update surety.merchant set purpose = $2 where id = $1"
      yield* expectRefused("merchant_purpose_check", set, [merchant, ""])
      yield* expectRefused("merchant_purpose_check", set, [merchant, "p".repeat(501)])
    })
  )

  it.effect("that no more than the payment is refunded, and nothing of a pending one", () =>
    Effect.gen(function* () {
      const { sale } = yield* books
      const set = "update surety.payment set refunded_minor = $2 where id = $1"
      yield* expectRefused("payment_refunded_check", set, [sale.payment.id, 1_001n])
      yield* expectRefused("payment_refunded_check", set, [sale.payment.id, -1n])
      const unsettle = "update surety.payment set status = 'PENDING', settled_at = null where id = $1"
      yield* expectRefused("payment_pending_check", unsettle, [sale.payment.id])
    })
  )

  it.effect("that states, environments, currencies and topics are ones that there are", () =>
    Effect.gen(function* () {
      yield* books
      for (const [table, column, value] of [
        ["merchant", "status", "OPEN"],
        ["payment", "status", "REFUNDED"],
        ["payment", "method", "CASH"],
        ["payment", "currency", "ngn"],
        ["payment", "environment", "STAGING"],
        ["refund", "status", "DONE"],
        ["account", "kind", "SAVINGS"],
        ["event", "topic", "refund.reversed"],
        ["delivery", "status", "LOST"],
        ["webhook_endpoint", "status", "PAUSED"]
      ] as const) {
        yield* expectRefused(`${table}_`, `update surety.${table} set ${column} = '${value}'`)
      }
    })
  )

  it.effect("that no row points across merchants or environments", () =>
    Effect.gen(function* () {
      const { merchant, other, refund, sale, stranger } = yield* books
      const payment = `insert into surety.payment (merchant_id, environment, id, method, status, currency, amount_minor,
        refunded_minor, user_id, created_at) values ($1, $2, 'p', 'WALLET', 'PENDING', 'NGN', 1, 0, $3, now())`
      yield* expectRefused("payment_consumer_fkey", payment, [merchant, "LIVE", other.consumer.userId])
      const link = "insert into surety.consumer_link values ($1, $2, $3, now())"
      yield* expectRefused("consumer_link_consumer_fkey", link, [merchant, "TEST", sale.consumer.userId])
      const refunding = `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key,
        fingerprint, amount_minor, status, created_at) values (gen_random_uuid(), $1, $2, $3, 'k', 'f', 1, 'PENDING', now())`
      yield* expectRefused("refund_payment_fkey", refunding, [stranger, "LIVE", sale.payment.id])
      yield* expectRefused("refund_payment_fkey", refunding, [merchant, "TEST", sale.payment.id])
      yield* expectRefused("delivery_", "update surety.delivery set merchant_id = $1", [stranger])
      yield* expectRefused("delivery_", "update surety.delivery set environment = 'TEST'")
      yield* expectRefused("transfer_refund_fkey", transferStatement, ["LIVE", "LIVE", stranger, toUuid(refund.id)])
    })
  )

  it.effect(
    "that money moves between two accounts of the transfer's own environment and currency, in its merchant's books",
    () =>
      Effect.gen(function* () {
        const { merchant, refund } = yield* books
        const id = toUuid(refund.id)
        yield* expectRefused("transfer_debit_fkey", transferStatement, ["TEST", "LIVE", merchant, id])
        yield* expectRefused("transfer_credit_fkey", transferStatement, ["LIVE", "TEST", merchant, id])
        const shillings = transferStatement.replace("'NGN'", "'KES'")
        yield* expectRefused("transfer_", shillings, ["LIVE", "LIVE", merchant, id])
        for (const [side, key] of [
          ["kind = 'EXTERNAL'", "transfer_debit_fkey"],
          ["kind <> 'EXTERNAL'", "transfer_credit_fkey"]
        ] as const) {
          const elsewhere = transferStatement.replace(`${side} and merchant_id =`, `${side} and merchant_id <>`)
          yield* expectRefused(key, elsewhere, ["LIVE", "LIVE", merchant, id])
        }
        const circle = transferStatement.replace("kind <> 'EXTERNAL'", "kind = 'EXTERNAL'")
        yield* expectRefused("transfer_accounts_check", circle, ["LIVE", "LIVE", merchant, id])
        yield* expectRefused("transfer_cause_check", transferStatement, ["LIVE", "LIVE", merchant, null])
        const account = `insert into surety.account (environment, kind, currency, merchant_id, balance_minor)
        values ('LIVE', 'WALLET', 'NGN', $1, 0)`
        yield* expectRefused("account_owner_check", account, [merchant])
      })
  )

  it.effect("that a refund moves its money once, and that an account is there once", () =>
    Effect.gen(function* () {
      const { merchant, refund } = yield* books
      const twice = transferStatement.replace("REFUND_REVERSAL", "REFUND")
      yield* expectRefused("transfer_refund_key", twice, ["LIVE", "LIVE", merchant, toUuid(refund.id)])
      const copy = `insert into surety.account (environment, kind, currency, merchant_id, user_id, balance_minor)
        select environment, kind, currency, merchant_id, user_id, 0 from surety.account`
      yield* expectRefused("account_key", copy)
    })
  )

  it.effect("that a payment moves its money once", () =>
    Effect.gen(function* () {
      const { sale } = yield* books
      const twice = `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id,
        amount_minor, merchant_id, payment_id, at)
        select gen_random_uuid(), kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
          merchant_id, payment_id, at
        from surety.transfer where payment_id = $1 and kind = 'PAYMENT'`
      yield* expectRefused("transfer_payment_key", twice, [sale.payment.id])
    })
  )

  it.effect("that a key stands for one refund that has not failed, and a reference for one payment", () =>
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      const { refund, sale } = yield* books
      const copy = `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint,
        amount_minor, status, created_at)
        select gen_random_uuid(), merchant_id, environment, payment_id, idempotency_key, fingerprint, 1, $2, created_at
        from surety.refund where id = $1`
      yield* expectRefused("refund_idempotency_key", copy, [toUuid(refund.id), "PENDING"])
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(copy, [toUuid(refund.id), "FAILED"])
      const { payment } = yield* FreshPayment.pending({ scope: sale.scope })
      const rename = "update surety.payment set reference = $2 where id = $1"
      yield* expectRefused("payment_reference_key", rename, [payment.id, sale.payment.reference])
      assert.isTrue((yield* payments.find(sale.scope, payment.id))._tag === "Some")
    })
  )
})

/**
 * Statement that inserts a LIVE transfer of one kobo as the reversal of refund $4. It debits an external account of
 * merchant $3 in environment $1. It credits another account of the merchant in environment $2.
 */
const transferStatement = `
  insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
    merchant_id, refund_id, at)
  select gen_random_uuid(), 'REFUND_REVERSAL', 'LIVE', 'NGN',
    (select id from surety.account where environment = $1 and kind = 'EXTERNAL' and merchant_id = $3 limit 1),
    (select id from surety.account where environment = $2 and kind <> 'EXTERNAL' and merchant_id = $3 limit 1), 1, $3, $4,
    now()`
