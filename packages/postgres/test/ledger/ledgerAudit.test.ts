import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { toUuid } from "@surety/core/Ids"
import { accountPartText } from "@surety/core/ledger/Account"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect } from "effect"
import * as TestStores from "../TestStores.js"
import { faultsAfter } from "./tampering.js"

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit", (it) => {
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
