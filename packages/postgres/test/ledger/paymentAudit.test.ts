import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect } from "effect"
import * as TestStores from "../TestStores.js"
import { tamper } from "./tampering.js"
import { auditOfMerchant, steps } from "./verifiedPoint.js"

const textOf = ({ check, detail, subject }: LedgerFault): string => `${check} ${subject} ${detail}`

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit, of payments", (it) => {
  it.effect("finds a payment whose money did not move as it says, although every balance fits", () =>
    Effect.gen(function* () {
      const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const other = yield* FreshPayment.settled({ scope: sale.scope, amountMinor: 1_000n })
      const merchant = toUuid(sale.scope.merchantId)
      const of = ({ payment, scope }: FreshPayment.Sale) => `${scope.merchantId}/${scope.environment}/${payment.id}`
      const unpaid = { check: "transfers_have_causes" as const, subject: of(sale), detail: "no PAYMENT of 1000" }
      const book = (userId: string, minor: bigint) =>
        tamper("update surety.account set balance_minor = balance_minor + $2 where user_id = $1", [userId, minor])
      const ofMerchant = (kind: string, minor: bigint) =>
        tamper("update surety.account set balance_minor = balance_minor + $3 where merchant_id = $1 and kind = $2", [
          merchant,
          kind,
          minor
        ])
      const faults = Effect.flatMap(Ledger, (ledger) => ledger.audit)
      const findAll = Effect.fnUntraced(function* (expected: ReadonlyArray<LedgerFault>) {
        assert.sameDeepMembers(yield* steps(true), [...expected], "step by step")
        assert.sameDeepMembers([...(yield* faults)], [...expected], "in one pass")
        const own = yield* auditOfMerchant(sale.scope.merchantId)
        assert.deepStrictEqual(new Set(own.map(textOf)), new Set(expected.map(textOf)), "of the merchant")
      })
      const change = (what: string, kind: string) =>
        `update surety.transfer set ${what} where payment_id = $1 and kind = '${kind}'`
      const from = "debit_account_id = (select id from surety.account where user_id = $2)"
      yield* findAll([])

      yield* tamper(change(from, "PAYMENT"), [sale.payment.id, other.consumer.userId])
      yield* book(sale.consumer.userId, 1_000n)
      yield* book(other.consumer.userId, -1_000n)
      yield* findAll([unpaid])
      yield* tamper(change(from, "PAYMENT"), [sale.payment.id, sale.consumer.userId])
      yield* book(sale.consumer.userId, -1_000n)
      yield* book(other.consumer.userId, 1_000n)

      yield* tamper(change("amount_minor = 999", "PAYMENT"), [sale.payment.id])
      yield* book(sale.consumer.userId, 1n)
      yield* ofMerchant("SETTLEMENT", -1n)
      yield* findAll([unpaid])
      yield* tamper(change("amount_minor = 1000", "PAYMENT"), [sale.payment.id])
      yield* book(sale.consumer.userId, -1n)
      yield* ofMerchant("SETTLEMENT", 1n)

      const swap = change("debit_account_id = credit_account_id, credit_account_id = debit_account_id", "PAYMENT")
      yield* tamper(swap, [sale.payment.id])
      yield* book(sale.consumer.userId, 2_000n)
      yield* ofMerchant("SETTLEMENT", -2_000n)
      yield* findAll([unpaid])
      yield* tamper(swap, [sale.payment.id])
      yield* book(sale.consumer.userId, -2_000n)
      yield* ofMerchant("SETTLEMENT", 2_000n)

      const into = "credit_account_id = (select id from surety.account where user_id = $2)"
      yield* tamper(change(into, "FUNDING"), [sale.payment.id, other.consumer.userId])
      yield* book(sale.consumer.userId, -1_000n)
      yield* book(other.consumer.userId, 1_000n)
      yield* findAll([{ ...unpaid, detail: "a FUNDING of 1000 that does not belong to it" }])
      yield* tamper(change(into, "FUNDING"), [sale.payment.id, sale.consumer.userId])
      yield* book(sale.consumer.userId, 1_000n)
      yield* book(other.consumer.userId, -1_000n)

      const status = "update surety.payment set status = $2, settled_at = $3 where id = $1"
      yield* tamper(status, [sale.payment.id, "PENDING", null])
      const told = (yield* faults).filter(({ check }) => check === "events_have_causes")
      assert.lengthOf(told, 1)
      yield* findAll([
        ...told,
        { ...unpaid, detail: "a FUNDING, although it is PENDING" },
        { ...unpaid, detail: "a PAYMENT, although it is PENDING" }
      ])
      yield* tamper(status, [sale.payment.id, "SETTLED", new Date()])
      yield* findAll([])

      yield* tamper("delete from surety.transfer where payment_id = $1 and kind = 'PAYMENT'", [sale.payment.id])
      yield* tamper("delete from surety.transfer where payment_id = $1 and kind = 'FUNDING'", [sale.payment.id])
      yield* ofMerchant("SETTLEMENT", -1_000n)
      yield* ofMerchant("EXTERNAL", 1_000n)
      yield* findAll([unpaid])
      assert.deepStrictEqual(yield* steps(), [unpaid], "again, though behind the point by now")
    })
  )
})
