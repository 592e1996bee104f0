import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { toUuid } from "@surety/core/Ids"
import { accountPartText } from "@surety/core/ledger/Account"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect } from "effect"
import * as TestStores from "../TestStores.js"
import { faultsAfter, tamper } from "./tampering.js"
import { steps } from "./verifiedPoint.js"

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit", (it) => {
  it.effect("finds a refund that went to another person, or from a person, or back although it is completed", () =>
    Effect.gen(function* () {
      const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const { refund, transfer } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n })
      const other = yield* FreshPayment.settled({ scope: sale.scope, amountMinor: 1_000n })
      const book = (userId: string, minor: bigint) =>
        tamper("update surety.account set balance_minor = balance_minor + $2 where user_id = $1", [userId, minor])
      const settle = (minor: bigint) =>
        tamper(
          "update surety.account set balance_minor = balance_minor + $2 where merchant_id = $1 and kind = 'SETTLEMENT'",
          [toUuid(sale.scope.merchantId), minor]
        )
      const faults = Effect.flatMap(Ledger, (ledger) => ledger.audit)
      const redirect =
        "update surety.transfer set credit_account_id = (select id from surety.account where user_id = $2) where id = $1"
      const unpaid = [{ check: "transfers_have_causes" as const, subject: refund.id, detail: "no REFUND of 100" }]
      const swap =
        "update surety.transfer set debit_account_id = credit_account_id, credit_account_id = debit_account_id where id = $1"
      yield* LedgerChecks.expectSound

      yield* tamper(redirect, [toUuid(transfer.id), other.consumer.userId])
      yield* book(sale.consumer.userId, -100n)
      yield* book(other.consumer.userId, 100n)
      assertEquals([...(yield* faults)], unpaid)

      yield* tamper(redirect, [toUuid(transfer.id), sale.consumer.userId])
      yield* book(other.consumer.userId, -100n)
      yield* book(sale.consumer.userId, -100n)
      yield* settle(200n)
      yield* tamper(swap, [toUuid(transfer.id)])
      assertEquals([...(yield* faults)], unpaid)

      yield* tamper(swap, [toUuid(transfer.id)])
      const reverse = `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id,
          amount_minor, merchant_id, refund_id, at)
        select gen_random_uuid(), 'REFUND_REVERSAL', t.environment, t.currency, t.credit_account_id, t.debit_account_id,
          t.amount_minor, t.merchant_id, t.refund_id, t.at
        from surety.transfer t where t.id = $1`
      yield* tamper(reverse, [toUuid(transfer.id)])
      yield* book(sale.consumer.userId, 100n)
      yield* settle(-100n)
      const detail = "a REFUND_REVERSAL, although it is COMPLETED"
      const returned = [{ check: "transfers_have_causes" as const, subject: refund.id, detail }]
      assertEquals([...(yield* faults)], returned)
      assertEquals(yield* steps(true), returned)
      yield* tamper("delete from surety.transfer where refund_id = $1 and kind = 'REFUND_REVERSAL'", [
        toUuid(refund.id)
      ])
      yield* book(sale.consumer.userId, 100n)
      yield* settle(-100n)
      assertEquals(yield* steps(true), [])
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("finds a balance, a total, a transfer or an event that is not as the rest says", () =>
    Effect.gen(function* () {
      const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const { event, refund, transfer } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 100n })
      if (event === undefined) return assert.fail("a completed refund has an event")
      yield* LedgerChecks.expectSound
      const wallet = accountPartText(FreshPayment.walletAccount(sale))
      const settlement = accountPartText(FreshPayment.settlementAccount(sale))
      const { environment, merchantId } = sale.scope
      const found: Array<LedgerFault> = []

      found.push({ check: "balances_equal_postings", subject: wallet, detail: "stored 101, postings 100" })
      const richer = "update surety.account set balance_minor = balance_minor + 1 where user_id = $1"
      assertEquals([...(yield* faultsAfter(richer, [sale.consumer.userId]))], found)
      yield* faultsAfter(richer.replace("+ 1", "- 1"), [sale.consumer.userId])

      const total = "update surety.payment set refunded_minor = $2 where id = $1"
      assertEquals(
        [...(yield* faultsAfter(total, [sale.payment.id, 99n]))],
        [
          {
            check: "refunded_equals_refunds",
            subject: `${merchantId}/${environment}/${sale.payment.id}`,
            detail: "stored 99, refunds 100"
          }
        ]
      )
      yield* faultsAfter(total, [sale.payment.id, 100n])

      const untell = "update surety.refund set event_id = null where id = $1"
      assertEquals(
        [...(yield* faultsAfter(untell, [toUuid(refund.id)]))],
        [
          { check: "events_have_causes", subject: refund.id, detail: "no event" },
          { check: "events_have_causes", subject: event.id, detail: "refund.completed without its cause" }
        ]
      )
      const tell = "update surety.refund set event_id = $2 where id = $1"
      assertEquals([...(yield* faultsAfter(tell, [toUuid(refund.id), toUuid(event.id)]))], [])

      const unmove = "delete from surety.transfer where id = $1"
      assert.sameDeepMembers(
        [...(yield* faultsAfter(unmove, [toUuid(transfer.id)]))],
        [
          { check: "balances_equal_postings", subject: wallet, detail: "stored 100, postings 0" },
          { check: "balances_equal_postings", subject: settlement, detail: "stored 900, postings 1000" },
          { check: "transfers_have_causes", subject: refund.id, detail: "no REFUND of 100" }
        ]
      )
    })
  )
})
