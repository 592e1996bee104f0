import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import type { TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { toNumber } from "@surety/core/Money"
import { type Payment, PaymentMethod, PaymentStatus } from "@surety/core/payment/Payment"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Schema } from "effect"
import { plain, Time } from "./plain.js"

const RefundItem = Schema.Struct({
  amount: Schema.Finite,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String)
})

const RefundRecord = Schema.Struct({
  merchantId: MerchantId,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: Schema.Finite,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: RefundStatus,
  serviceId: Schema.optionalKey(ConsumerId),
  completedAt: Schema.optionalKey(Time),
  merchantReference: Schema.optionalKey(Schema.String),
  items: Schema.optionalKey(Schema.Array(RefundItem))
})

/** Amounts are in major units. */
export const plainRefund = plain(RefundRecord, ({ amount, id, items, paymentId, ...refund }: Refund) => ({
  ...refund,
  refundId: id,
  transactionId: paymentId,
  amount: toNumber(amount),
  currency: amount.currency,
  ...(items === undefined
    ? {}
    : {
        items: items.map(({ amountMinor, ...item }) => ({
          ...item,
          amount: toNumber({ currency: amount.currency, minor: amountMinor }),
          currency: amount.currency
        }))
      })
}))

const PaymentRecord = Schema.Struct({
  transactionId: PaymentId,
  merchantId: MerchantId,
  environment: Environment,
  reference: Schema.optionalKey(Schema.String),
  amount: Schema.Finite,
  currency: Schema.String,
  refundedAmount: Schema.Finite,
  method: PaymentMethod,
  status: PaymentStatus,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  createdAt: Time,
  settledAt: Schema.optionalKey(Time)
})

/** Amounts are in major units. */
export const plainPayment = plain(PaymentRecord, ({ amount, id, refundedMinor, ...payment }: Payment) => ({
  ...payment,
  transactionId: id,
  amount: toNumber(amount),
  currency: amount.currency,
  refundedAmount: toNumber({ currency: amount.currency, minor: refundedMinor })
}))

const BalanceRecord = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Schema.String,
  balance: Schema.String
})

/** Minor units as a string: sums can be longer than a JSON number. */
export const plainBalance = plain(BalanceRecord, ({ balanceMinor, key }: Account) => ({
  ...key,
  balance: balanceMinor.toString()
}))

const TrialBalanceRecord = Schema.Struct({
  balanced: Schema.Boolean,
  lines: Schema.Array(
    Schema.Struct({
      environment: Environment,
      currency: Schema.String,
      debits: Schema.String,
      credits: Schema.String
    })
  )
})

export const plainTrialBalance = plain(TrialBalanceRecord, (lines: ReadonlyArray<TrialBalanceLine>) => ({
  balanced: lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor),
  lines: lines.map(({ creditsMinor, currency, debitsMinor, environment }) => ({
    environment,
    currency,
    debits: debitsMinor.toString(),
    credits: creditsMinor.toString()
  }))
}))
