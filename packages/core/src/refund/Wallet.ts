import { Context, type Effect, Schema } from "effect"
import { reading } from "../host/HostAnswer.js"
import type { PaymentId, RefundId, UserId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { MerchantScope } from "../merchant/Merchant.js"

/** The wallet did not answer, or not clearly: whether the customer was credited is unknown. It is asked again. */
export class WalletUnavailable extends Schema.TaggedError<WalletUnavailable>(
  "@surety/core/refund/Wallet/WalletUnavailable"
)("WalletUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The host's wallet did not respond as promised. The refund stays pending."
  }
}

/** The wallet is not asked now, on purpose: the refund stays pending until it is. Nothing failed. */
export class WalletDeferred extends Schema.TaggedError<WalletDeferred>("@surety/core/refund/Wallet/WalletDeferred")(
  "WalletDeferred",
  {}
) {
  override get message(): string {
    return "The host's wallet credits after the host's transaction. The refund stays pending."
  }
}

export interface WalletCredit {
  /** The wallet's idempotency key: however often it is asked, it credits once. */
  readonly refundId: RefundId
  readonly scope: MerchantScope
  readonly paymentId: PaymentId
  readonly userId: UserId
  readonly amount: Money
}

export const WalletOutcome = Schema.TaggedUnion({
  Credited: {},
  /** Final: the customer was not and will not be credited for this refund id. `reason` is shown to the merchant. */
  Declined: { reason: Schema.String }
})
export type WalletOutcome = typeof WalletOutcome.Type

/** Reads a wallet's answer. Any other form leaves the outcome unknown: an adapter's types are a hope. */
export const readWalletOutcome = reading(
  WalletOutcome,
  'exactly { _tag: "Credited" } or { _tag: "Declined", reason: string }'
)

/**
 * A host's own wallet system. Without it the ledger is the wallet.
 *
 * `credit` must be idempotent by `refundId`, and after `Declined` must never credit that id. Any other end of a call
 * leaves the outcome unknown: the refund stays pending and the wallet is asked again.
 */
export class Wallet extends Context.Service<
  Wallet,
  {
    readonly credit: (credit: WalletCredit) => Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred>
  }
>()("@surety/core/refund/Wallet") {}
