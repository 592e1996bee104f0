import { DataRequestId, GrantId, MerchantId, RefundId } from "@surety/core/Ids"
import { CurrencyCode, Reference } from "@surety/core/input/MoneyInput"
import { PaymentMethod, TestOutcome } from "@surety/core/payment/Payment"
import { Payments } from "@surety/core/payment/Payments"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import { Sandbox } from "@surety/core/sandbox/Sandbox"
import { farthestSeconds } from "@surety/core/sandbox/SandboxStore"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainDataRequest, plainGrant } from "../record/Consent.js"
import { plainTestClock } from "../record/Merchants.js"
import { plainPayment, plainRefund } from "../record/Money.js"
import { amountFields, readMoneyOf } from "./input/amounts.js"
import { optionalServiceId, personFields, requireMerchant } from "./input/scopeAndPerson.js"

const test = "TEST"

const merchant = { merchantId: MerchantId }

const Advance = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: farthestSeconds },
    { expected: `a whole number from 1 to ${farthestSeconds}`, code: "out_of_range" }
  )
)

const noBalance = new InvalidInput({
  faults: [
    {
      path: ["fromBalance"],
      code: "not_allowed_value",
      detail: "Only a settled wallet payment can be paid from the wallet's balance."
    }
  ]
})

/** Merchants' test helpers, TEST only, for a host's own sandbox pages and tests. */
export const sandbox = (run: Run) => ({
  /**
   * Records a payment in TEST, like `payments.record`, but always with a generated id. `refundOutcome` presets the
   * outcome of its refunds. With `fromBalance`, the payer pays from the wallet's balance instead of with new money.
   * Fails with `WalletBalanceTooSmall` if that balance is less than the amount.
   */
  recordPayment: call(
    run,
    Schema.Struct({
      ...merchant,
      ...personFields,
      ...amountFields,
      currency: Schema.optionalKey(CurrencyCode),
      reference: Schema.optionalKey(Reference),
      method: Schema.optionalKey(PaymentMethod),
      settled: Schema.optionalKey(Schema.Boolean),
      refundOutcome: Schema.optionalKey(TestOutcome),
      fromBalance: Schema.optionalKey(Schema.Boolean)
    }),
    ({ fromBalance = false, merchantId, method = "WALLET", reference, refundOutcome, settled = true, ...given }) =>
      Effect.gen(function* () {
        const payments = yield* Payments
        yield* requireMerchant(merchantId)
        const { serviceId: ofService, userId, ...money } = given
        const isFromWallet = method === "WALLET" && (ofService ?? userId) !== undefined
        if (fromBalance && !(settled && isFromWallet)) return yield* noBalance
        const amount = yield* Effect.fromResult(readMoneyOf(money))
        const serviceId = yield* optionalServiceId(test, given)
        return plainPayment(
          yield* payments.recordTest({
            merchantId,
            amount,
            method,
            settled,
            ...(serviceId === undefined ? {} : { serviceId }),
            ...(reference === undefined ? {} : { reference }),
            ...(refundOutcome === undefined ? {} : { testOutcome: refundOutcome }),
            ...(fromBalance ? { fromBalance } : {})
          })
        )
      })
  ),

  /**
   * Settles a pending refund of a payment recorded with `refundOutcome`. If a worker holds the refund, waits up to 20
   * seconds for it. Fails with `RefundNotWaiting` after that time, or for any other TEST refund of the merchant.
   */
  settleRefund: call(
    run,
    Schema.Struct({ ...merchant, refundId: RefundId, outcome: Schema.Literals(["completed", "failed"]) }),
    ({ merchantId, outcome, refundId }) =>
      Effect.flatMap(HostRefunds, (refunds) =>
        Effect.map(refunds.settlePlayed({ merchantId, environment: test }, refundId, outcome), plainRefund)
      )
  ),

  /** Expires a pending data request now. Fails with `DataRequestDecided` if the request is not pending. */
  expireDataRequest: call(
    run,
    Schema.Struct({ ...merchant, dataRequestId: DataRequestId }),
    ({ dataRequestId, merchantId }) =>
      Effect.flatMap(Sandbox, (service) =>
        Effect.map(service.expireRequest(merchantId, dataRequestId), plainDataRequest)
      )
  ),

  /** Expires an active grant now. A grant that has already ended stays unchanged. */
  expireGrant: call(run, Schema.Struct({ ...merchant, grantId: GrantId }), ({ grantId, merchantId }) =>
    Effect.flatMap(Sandbox, (service) => Effect.map(service.expireGrant(merchantId, grantId), plainGrant))
  ),

  /**
   * Enables or disables the merchant's TEST refunds. They stay disabled while `merchants.changeSettings` has disabled
   * all of the merchant's refunds.
   */
  switchRefunds: call(run, Schema.Struct({ ...merchant, enabled: Schema.Boolean }), ({ enabled, merchantId }) =>
    Effect.flatMap(Sandbox, (service) =>
      Effect.map(service.switchRefunds(merchantId, enabled), ({ refundsEnabled }) => ({ merchantId, refundsEnabled }))
    )
  ),

  /** Returns the time of the merchant's test clock, and how far it is ahead of real time. */
  clock: call(run, Schema.Struct(merchant), ({ merchantId }) =>
    Effect.flatMap(Sandbox, (service) => Effect.map(service.clock(merchantId), plainTestClock))
  ),

  /**
   * Advances the merchant's test clock, which brings forward pending work in its TEST environment. Fails with
   * `ClockTooFar` if the clock would be more than 400 days ahead.
   */
  advanceClock: call(run, Schema.Struct({ ...merchant, seconds: Advance }), ({ merchantId, seconds }) =>
    Effect.flatMap(Sandbox, (service) => Effect.map(service.advanceClock(merchantId, seconds), plainTestClock))
  )
})
