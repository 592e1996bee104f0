import type { RefundId } from "@surety/core/Ids"
import { Wallet, type WalletCredit, type WalletOutcome } from "@surety/core/refund/Wallet"
import { Effect } from "effect"
import type { World } from "../world/World.js"

/** A host's wallet, idempotent per refund as its port requires. The seed decides which refunds it declines. */
export interface SimulatedWallet {
  readonly service: Wallet["Service"]
  readonly outcomes: ReadonlyMap<RefundId, WalletOutcome>
}

export const makeWallet = (world: World): SimulatedWallet => {
  const outcomes = new Map<RefundId, WalletOutcome>()
  const decide = ({ refundId }: WalletCredit): WalletOutcome => {
    const outcome: WalletOutcome = world.draw(`wallet ${refundId}`).chance(0.25)
      ? { _tag: "Declined", reason: "frozen" }
      : { _tag: "Credited" }
    outcomes.set(refundId, outcome)
    world.tell(() => `wallet: ${outcome._tag.toLowerCase()} ${world.nameOf(refundId)}`)
    return outcome
  }
  return {
    outcomes,
    service: Wallet.of({
      credit: (credit) => Effect.sync(() => outcomes.get(credit.refundId) ?? decide(credit))
    })
  }
}
