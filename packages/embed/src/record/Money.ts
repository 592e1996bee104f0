import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId, PaymentId, RefundId, TransferId, UserId } from "@surety/core/Ids"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import { accountId } from "@surety/core/ledger/AccountId"
import type { AccountPosting, TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { AdjustmentDirection, type OperatorTransfer, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import { TransferKind } from "@surety/core/ledger/Transfer"
import { toNumber } from "@surety/core/Money"
import { type Payment, PaymentMethod, PaymentStatus } from "@surety/core/payment/Payment"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Schema } from "effect"
import { inJson, plainMoney, Time } from "./plain.js"

/** An amount in the currency's minor units, such as kobo. */
const Minor = Schema.BigInt

const RefundItem = Schema.Struct({
  amount: Schema.Finite,
  amountMinor: Minor,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String)
})

const RefundRecord = Schema.Struct({
  id: RefundId,
  merchantId: MerchantId,
  environment: Environment,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: Schema.Finite,
  amountMinor: Minor,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: RefundStatus,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  createdAt: Time,
  completedAt: Schema.optionalKey(Time),
  merchantReference: Schema.optionalKey(Schema.String),
  items: Schema.optionalKey(Schema.Array(RefundItem))
})

/** Every amount appears twice: in major units, and as a bigint in minor units. */
export const plainRefund = plainMoney(RefundRecord, ({ amount, items, paymentId, ...refund }: Refund) => ({
  ...refund,
  refundId: refund.id,
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
  id: PaymentId,
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

/** Every amount appears twice: in major units, and as a bigint in minor units. */
export const plainPayment = plainMoney(PaymentRecord, ({ amount, refundedMinor, ...payment }: Payment) => ({
  ...payment,
  transactionId: payment.id,
  amount: toNumber(amount),
  amountMinor: amount.minor,
  currency: amount.currency,
  refundedAmountMinor: refundedMinor,
  refundedAmount: toNumber({ currency: amount.currency, minor: refundedMinor })
}))

const BalanceRecord = Schema.Struct({
  /** Id of the account, for `ledger.postings`. */
  id: Schema.String,
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Schema.String,
  balanceMinor: Minor
})

/**
 * Converts an account's balance to its record, in minor units only, since a number cannot represent every balance
 * exactly.
 */
export const plainBalance = plainMoney(BalanceRecord, ({ balanceMinor, key }: Account) => ({
  id: accountId(key),
  ...key,
  balanceMinor
}))

const PostingRecord = Schema.Struct({
  /** The transfer's id and the side, because a transfer has two postings. */
  id: Schema.String,
  transferId: TransferId,
  kind: TransferKind,
  side: Schema.Literals(["DEBIT", "CREDIT"]),
  amountMinor: Minor,
  currency: Schema.String,
  /** The transfer's other account: source or destination of the money. */
  otherAccount: Schema.Struct({ id: Schema.String, kind: AccountKind, owner: Schema.String }),
  /** Id of the payment or refund that caused the transfer, otherwise the transfer's own id. */
  cause: Schema.String,
  at: Time
})

/** Amounts are in minor units only. `CREDIT` adds to the balance. */
export const plainPosting = plainMoney(PostingRecord, ({ side, transfer }: AccountPosting) => {
  const { amount, credit, debit, ...rest } = transfer
  const other = side === "DEBIT" ? credit : debit
  return {
    ...rest,
    id: `${transfer.id}/${side}`,
    transferId: transfer.id,
    side,
    amountMinor: amount.minor,
    currency: amount.currency,
    otherAccount: { id: accountId(other), kind: other.kind, owner: other.owner }
  }
})

const TransferRecord = Schema.Struct({
  id: TransferId,
  transferId: TransferId,
  kind: OperatorTransferKind,
  direction: Schema.optionalKey(AdjustmentDirection),
  environment: Environment,
  amount: Schema.Finite,
  amountMinor: Minor,
  currency: Schema.String,
  merchantId: Schema.optionalKey(MerchantId),
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.String,
  at: Time
})

export const plainTransfer = plainMoney(TransferRecord, ({ amount, ...transfer }: OperatorTransfer) => ({
  ...transfer,
  transferId: transfer.id,
  amount: toNumber(amount),
  amountMinor: amount.minor,
  currency: amount.currency
}))

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

/**
 * Adds `replayed` to a refund or transfer: true if this call neither created nor completed it. In JSON, bigints are
 * decimal strings.
 */
export const plainReplayed = <Plain extends object>(
  record: Plain,
  replayed: boolean
): Plain & { readonly replayed: boolean } => inJson({ ...record, replayed })
