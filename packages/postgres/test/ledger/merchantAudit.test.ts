import { assert, it } from "@effect/vitest"
import { fromUuid, toUuid } from "@surety/core/Ids"
import { accountPartText } from "@surety/core/ledger/Account"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import { postPlanOf, toMerchant } from "@surety/testing/ledger/FreshOperatorTransfer"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect } from "effect"
import * as TestStores from "../TestStores.js"
import { tamper } from "./tampering.js"
import { auditOfMerchant, pastAll } from "./verifiedPoint.js"

const merchant = Effect.fnUntraced(function* (scope: MerchantScope) {
  const sale = yield* FreshPayment.settled({ scope, amountMinor: 10_000n })
  const { event, refund, transfer } = yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 100n })
  const payout = toMerchant(sale, { kind: "PAYOUT" })
  yield* (yield* OperatorTransferStore).post(postPlanOf(payout))
  const { request } = yield* ConsentAttempt.askedAnew(scope, sale.consumer)
  const { events, grant, receipt } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
  const { verification } = yield* FreshVerification.make({ scope })
  return {
    ...{ sale, refund, transfer, payout, request, verification },
    told: event ?? assert.fail("a completed refund has an event"),
    grant: grant ?? assert.fail("an approval makes a grant"),
    receipt: receipt ?? assert.fail("an approval has a receipt"),
    granted: events.find(({ topic }) => topic.endsWith("consent_granted")) ?? assert.fail("a grant has an event")
  }
})

type Merchant = Effect.Success<ReturnType<typeof merchant>>

/** A row change that bypasses the stores, the parameters that undo the change, and the faults that the audit finds. */
interface Crime {
  readonly how: string
  readonly change: string
  readonly params: ReadonlyArray<unknown>
  readonly undo: ReadonlyArray<unknown>
  readonly found: ReadonlyArray<LedgerFault>
  /** Set if the change is in an event's body, which the audit of all merchants does not read. */
  readonly isInText?: true
}

const nowhere = "00000000-0000-7000-8000-000000000000"

const crimesOn = (own: Merchant): ReadonlyArray<Crime> => {
  const { grant, granted, payout, receipt, refund, request, sale, told, verification } = own
  const { environment, merchantId } = sale.scope
  const wallet = accountPartText(FreshPayment.walletAccount(sale))
  const settlement = accountPartText(FreshPayment.settlementAccount(sale))
  return [
    {
      how: "a wallet's balance",
      change: "update surety.account set balance_minor = $2 where user_id = $1",
      params: [sale.consumer.userId, 101],
      undo: [sale.consumer.userId, 100],
      found: [{ check: "balances_equal_postings", subject: wallet, detail: "stored 101, postings 100" }]
    },
    {
      how: "the settlement account's balance",
      change: "update surety.account set balance_minor = $2 where merchant_id = $1 and kind = 'SETTLEMENT'",
      params: [toUuid(merchantId), 9_000],
      undo: [toUuid(merchantId), 8_900],
      found: [{ check: "balances_equal_postings", subject: settlement, detail: "stored 9000, postings 8900" }]
    },
    {
      how: "a payment's total",
      change: "update surety.payment set refunded_minor = $2 where id = $1",
      params: [sale.payment.id, 99],
      undo: [sale.payment.id, 100],
      found: [
        {
          check: "refunded_equals_refunds",
          subject: `${merchantId}/${environment}/${sale.payment.id}`,
          detail: "stored 99, refunds 100"
        }
      ]
    },
    {
      how: "a refund's event",
      change: "update surety.refund set event_id = $2 where id = $1",
      params: [toUuid(refund.id), nowhere],
      undo: [toUuid(refund.id), toUuid(told.id)],
      found: [
        { check: "events_have_causes", subject: refund.id, detail: "no event" },
        { check: "events_have_causes", subject: told.id, detail: "refund.completed without its cause" }
      ]
    },
    {
      how: "the text of an event, which can no longer be read",
      change: "update surety.event set body = $2 where id = $1",
      params: [toUuid(told.id), "{"],
      undo: [toUuid(told.id), told.body],
      isInText: true,
      found: [{ check: "events_have_causes", subject: told.id, detail: "refund.completed without its cause" }]
    },
    {
      how: "an operator's transfer",
      change: "update surety.operator_transfer set amount_minor = $2 where id = $1",
      params: [toUuid(payout.id), 1_001],
      undo: [toUuid(payout.id), 1_000],
      found: [{ check: "transfers_have_causes", subject: payout.id, detail: "no transfer of 1001" }]
    },
    {
      how: "a grant's event",
      change: "update surety.consent_grant set event_id = $2 where id = $1",
      params: [toUuid(grant.id), nowhere],
      undo: [toUuid(grant.id), toUuid(granted.id)],
      found: [
        { check: "events_have_causes", subject: grant.id, detail: "no event" },
        {
          check: "events_have_causes",
          subject: granted.id,
          detail: "merchant.identity.consent_granted without its cause"
        }
      ]
    },
    {
      how: "a receipt's chain",
      change: "update surety.consent_receipt set environment = $2 where id = $1",
      params: [toUuid(receipt.id), "TEST"],
      undo: [toUuid(receipt.id), "LIVE"],
      found: [{ check: "consents_have_receipts", subject: grant.id, detail: "no receipt that it is GRANTED" }]
    },
    {
      how: "which request a grant is by",
      change: "update surety.consent_grant set data_request_id = $2 where id = $1",
      params: [toUuid(grant.id), nowhere],
      undo: [toUuid(grant.id), toUuid(request.id)],
      found: [
        {
          check: "grants_have_requests",
          subject: grant.id,
          detail: `its request ${fromUuid("datareq", nowhere)} is missing`
        },
        { check: "grants_have_requests", subject: request.id, detail: "approved without a grant" }
      ]
    },
    {
      how: "a verification's environment",
      change: "update surety.verification set environment = $2 where id = $1",
      params: [toUuid(verification.id), "TEST"],
      undo: [toUuid(verification.id), "LIVE"],
      found: [
        { check: "verifications_have_receipts", subject: verification.id, detail: "no receipt that it is ATTESTED" }
      ]
    },
    {
      how: "the epoch of an event",
      change: "update surety.event set epoch = $2 where id = $1",
      params: [toUuid(granted.id), 9],
      undo: [toUuid(granted.id), 1],
      found: [{ check: "events_in_order", subject: granted.id, detail: "of epoch 9 and transaction , which…" }]
    }
  ]
}

/** Removes transaction ids and the text after them from the details, since the ids differ in each run. */
const withoutTransactions = (faults: ReadonlyArray<LedgerFault>) =>
  faults.map(({ detail, ...fault }) => ({
    ...fault,
    detail: detail.replace(/transaction \d+, which.*$/u, "transaction , which…")
  }))

it.layer(TestStores.postgres, { excludeTestServices: true })("the audit of one merchant", (it) => {
  it.effect("names each row of the merchant's that was changed, as the whole audit does, and none of another's", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.replicateEffect(
        Effect.flatMap(FreshMerchant.make(), (made) => merchant(FreshMerchant.scopeOf(made))),
        2
      )
      if (one === undefined || other === undefined) return assert.fail("there are two")
      const ledger = yield* Ledger
      for (const [own, neighbour] of [
        [one, other],
        [other, one]
      ] as const) {
        for (const { change, found, how, isInText = false, params, undo } of crimesOn(own)) {
          yield* tamper(change, params)
          assert.sameDeepMembers(
            withoutTransactions(yield* auditOfMerchant(own.sale.scope.merchantId)),
            [...found],
            how
          )
          assert.deepStrictEqual(yield* auditOfMerchant(neighbour.sale.scope.merchantId), [], `${how}, of another`)
          assert.sameDeepMembers(
            withoutTransactions(yield* ledger.audit),
            isInText ? [] : [...found],
            `${how}, in the whole audit`
          )
          yield* tamper(change, undo)
        }
        assert.deepStrictEqual(yield* auditOfMerchant(own.sale.scope.merchantId), [])
      }
    })
  )

  it.effect("finds verified money that was taken away with matching balances", () =>
    Effect.gen(function* () {
      const own = yield* merchant(FreshMerchant.scopeOf(yield* FreshMerchant.make()))
      const { merchantId } = own.sale.scope
      yield* pastAll
      assert.deepStrictEqual(yield* auditOfMerchant(merchantId), [])
      yield* tamper("delete from surety.transfer where id = $1", [toUuid(own.transfer.id)])
      yield* tamper("update surety.account set balance_minor = balance_minor - 100 where user_id = $1", [
        own.sale.consumer.userId
      ])
      yield* tamper(
        "update surety.account set balance_minor = balance_minor + 100 where merchant_id = $1 and kind = 'SETTLEMENT'",
        [toUuid(merchantId)]
      )
      assert.deepInclude(yield* auditOfMerchant(merchantId), {
        check: "balances_equal_postings",
        subject: accountPartText(FreshPayment.walletAccount(own.sale)),
        detail: "verified 100, postings until then 0"
      })
    })
  )
})
