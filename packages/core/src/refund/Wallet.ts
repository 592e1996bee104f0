import { Context, type Effect, Schema } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import { reading } from "../host/HostAnswer.js"
import type { PaymentId, RefundId, UserId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { MerchantScope } from "../merchant/Merchant.js"

/**
 * The wallet failed, timed out or returned an invalid response, so it may or may not have credited the consumer. Surety
 * calls the wallet again.
 */
export class WalletUnavailable extends Schema.TaggedError<WalletUnavailable>(
  "@surety/core/refund/Wallet/WalletUnavailable"
)("WalletUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The host's wallet did not return a valid response. The refund stays pending."
  }
}

/**
 * This attempt sent no credit to the wallet. Possible reasons: a transaction is open, workers run in another process,
 * or a test helper will settle the refund. Not a failure; the refund stays pending.
 */
export class WalletDeferred extends Schema.TaggedError<WalletDeferred>("@surety/core/refund/Wallet/WalletDeferred")(
  "WalletDeferred",
  {}
) {
  override get message(): string {
    return "The wallet has not been called yet. The refund stays pending."
  }
}

export interface WalletCredit {
  /** The wallet's idempotency key. However often this id is sent, the wallet must credit the refund only once. */
  readonly refundId: RefundId
  readonly scope: MerchantScope
  readonly paymentId: PaymentId
  readonly userId: UserId
  /** The consumer's service id, if the payment has one. */
  readonly serviceId?: ConsumerId
  readonly amount: Money
}

/** Identifies a credit to look up. */
export type WalletQuery = Pick<WalletCredit, "refundId" | "scope">

export const WalletOutcome = Schema.TaggedUnion({
  Credited: {},
  /** Final: the consumer was not and will not be credited for this refund id. `reason` is shown to the merchant. */
  Declined: { reason: Schema.String }
})
export type WalletOutcome = typeof WalletOutcome.Type

/** A wallet's response to `lookup`: the outcome for the refund id, or `NotKnown`. */
export const WalletKnowledge = Schema.Union([
  WalletOutcome,
  /** The wallet has neither credited nor declined this id. A call in flight may still change that. */
  Schema.TaggedStruct("NotKnown", {})
])
export type WalletKnowledge = typeof WalletKnowledge.Type

/** Decodes a wallet's response to `credit`. An invalid response leaves the outcome unknown. */
export const readWalletOutcome = reading(
  WalletOutcome,
  'exactly { _tag: "Credited" } or { _tag: "Declined", reason: string }'
)

/** Decodes a wallet's response to `lookup`. An invalid response leaves the outcome unknown. */
export const readWalletKnowledge = reading(
  WalletKnowledge,
  'exactly { _tag: "Credited" }, { _tag: "Declined", reason: string } or { _tag: "NotKnown" }'
)

/**
 * A host's own wallet system. If the host provides none, the ledger is the wallet.
 *
 * `credit` must be idempotent by `refundId`, and after `Declined` must never credit that id. After any result other
 * than `Credited` and `Declined`, the refund stays pending and the credit is retried.
 *
 * If the wallet has `lookup` and an earlier credit may have reached it, `lookup` is called first. The credit is then
 * sent again only after `NotKnown`.
 */
export class Wallet extends Context.Service<
  Wallet,
  {
    readonly credit: (credit: WalletCredit) => Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred>
    readonly lookup?: (query: WalletQuery) => Effect.Effect<WalletKnowledge, WalletUnavailable | WalletDeferred>
    /**
     * Environments in which this wallet credits refunds. In any other environment, the ledger is the wallet. Default:
     * both.
     */
    readonly environments?: ReadonlyArray<Environment>
  }
>()("@surety/core/refund/Wallet") {}
