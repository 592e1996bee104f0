import { Effect } from "effect"
import type { PlayedOutcome } from "../payment/Payment.js"
import type { LeasedRefund } from "./RefundStore.js"
import { WalletDeferred, type WalletOutcome, WalletUnavailable } from "./Wallet.js"

/** Fence of a refund's first lease. The wallet cannot have been called before that lease. */
export const firstRefundFence = 1

const playedReason = "The sandbox's wallet declines this payment's refunds."

/**
 * Returns the response that the sandbox plays in place of a wallet. `pending` fails with `WalletDeferred`. `decline`
 * returns `Declined`. `unavailable` fails with `WalletUnavailable` under the refund's first lease and credits under any
 * later one.
 */
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
