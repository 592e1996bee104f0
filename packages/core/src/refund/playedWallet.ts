import { Effect } from "effect"
import type { PlayedOutcome } from "../payment/Payment.js"
import type { LeasedRefund } from "./RefundStore.js"
import { WalletDeferred, type WalletOutcome, WalletUnavailable } from "./Wallet.js"

/** The fence of a refund's first lease: no call to the wallet can have come before it. */
export const firstRefundFence = 1

/** The sandbox's only reason for declining. */
const playedReason = "The sandbox's wallet declines this payment's refunds."

/** The answer of the sandbox's wallet. It loses the first answer of `unavailable`. */
export const play = (
  played: PlayedOutcome,
  { fence }: LeasedRefund
): Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred> => {
  switch (played) {
    case "pending":
      return Effect.fail(new WalletDeferred())
    case "decline":
      return Effect.succeed({ _tag: "Declined", reason: playedReason })
    case "unavailable":
      return fence > firstRefundFence
        ? Effect.succeed({ _tag: "Credited" })
        : Effect.fail(new WalletUnavailable({ cause: "the sandbox plays it" }))
  }
}
