import { Context, type Effect, Schema } from "effect"
import type { PaymentId, RefundId, UserId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { MerchantScope } from "../merchant/Merchant.js"

/** The wallet did not answer, or not clearly: whether the customer was credited is unknown. It is asked again. */
export class WalletUnavailable extends Schema.TaggedError<WalletUnavailable>(
  "@surety/core/refund/Wallet/WalletUnavailable"
)("WalletUnavailable", { cause: Schema.Defect() }) {}

export interface WalletCredit {
  /** The wallet's idempotency key: however often it is asked, it credits once. */
  readonly refundId: RefundId
  readonly scope: MerchantScope
  readonly paymentId: PaymentId
  readonly userId: UserId
  readonly amount: Money
}

export type WalletOutcome =
  | { readonly _tag: "Credited" }
  /** Final: the customer was not and will not be credited for this refund id. `reason` is shown to the merchant. */
  | { readonly _tag: "Declined"; readonly reason: string }

/**
 * A host's own wallet system. Without it the ledger is the wallet.
 *
 * `credit` must be idempotent by `refundId`, and after `Declined` must never credit that id.
 */
export class Wallet extends Context.Service<
  Wallet,
  {
    readonly credit: (credit: WalletCredit) => Effect.Effect<WalletOutcome, WalletUnavailable>
  }
>()("@surety/core/refund/Wallet") {}
