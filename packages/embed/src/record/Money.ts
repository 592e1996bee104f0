import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import type { TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { toNumber } from "@surety/core/Money"
import { type Payment, PaymentMethod, PaymentStatus } from "@surety/core/payment/Payment"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Schema } from "effect"
import { plainMoney, Time } from "./plain.js"

/** Minor units of the currency, such as kobo. */
const Minor = Schema.BigInt

const RefundItem = Schema.Struct({
  amount: Schema.Finite,
  amountMinor: Minor,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String)
})

const RefundRecord = Schema.Struct({
  merchantId: MerchantId,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: Schema.Finite,
  amountMinor: Minor,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: RefundStatus,
  serviceId: Schema.optionalKey(ConsumerId),
  completedAt: Schema.optionalKey(Time),
  merchantReference: Schema.optionalKey(Schema.String),
  items: Schema.optionalKey(Schema.Array(RefundItem))
})

/** Every amount stands there twice: in major units, and as a bigint in minor units. */
export const plainRefund = plainMoney(RefundRecord, ({ amount, id, items, paymentId, ...refund }: Refund) => ({
  ...refund,
  refundId: id,
  transactionId: paymentId,
  amount: toNumber(amount),
  amountMinor: amount.minor,
  currency: amount.currency,
  ...(items === undefined
    ? {}
    : {
        items: items.map(({ amountMinor, ...item }) => ({
          ...item,
          amountMinor,
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
  amountMinor: Minor,
  currency: Schema.String,
  refundedAmount: Schema.Finite,
  refundedAmountMinor: Minor,
  method: PaymentMethod,
  status: PaymentStatus,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  createdAt: Time,
  settledAt: Schema.optionalKey(Time)
})

/** Every amount stands there twice: in major units, and as a bigint in minor units. */
export const plainPayment = plainMoney(PaymentRecord, ({ amount, id, refundedMinor, ...payment }: Payment) => ({
  ...payment,
  transactionId: id,
  amount: toNumber(amount),
  amountMinor: amount.minor,
  currency: amount.currency,
  refundedAmountMinor: refundedMinor,
  refundedAmount: toNumber({ currency: amount.currency, minor: refundedMinor })
}))

const BalanceRecord = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Schema.String,
  balanceMinor: Minor
})

/** In minor units only: a sum can be longer than a number. */
export const plainBalance = plainMoney(BalanceRecord, ({ balanceMinor, key }: Account) => ({ ...key, balanceMinor }))

const TrialBalanceRecord = Schema.Struct({
  balanced: Schema.Boolean,
  lines: Schema.Array(
    Schema.Struct({
      environment: Environment,
      currency: Schema.String,
      debitsMinor: Minor,
      creditsMinor: Minor
    })
  )
})

export const plainTrialBalance = plainMoney(TrialBalanceRecord, (lines: ReadonlyArray<TrialBalanceLine>) => ({
  balanced: lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor),
  lines
}))
