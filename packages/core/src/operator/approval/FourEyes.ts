import { Context } from "effect"
import { type Currency, NGN } from "../../Currency.js"
import type { ProposedCommand } from "./Proposal.js"

/** Which changes need a second operator. */
export interface FourEyes {
  /**
   * From which amount on a transfer needs two, in minor units. A transfer in a currency without an entry needs two from
   * any amount on.
   */
  readonly transfersFrom: ReadonlyMap<Currency, bigint>
  /** Whether every adjustment needs two, however small. */
  readonly adjustments: boolean
  /** Whether every erasure needs two. */
  readonly erasures: boolean
  /** Whether the HTTP interface holds to it too. The console always does. */
  readonly inHttp: boolean
}

/** NGN 10,000.00. */
const defaultThreshold = 1_000_000n

export const defaultFourEyes: FourEyes = {
  transfersFrom: new Map([[NGN, defaultThreshold]]),
  adjustments: true,
  erasures: true,
  inHttp: false
}

/** The policy in force. */
export const FourEyes = Context.Reference<FourEyes>("@surety/core/operator/approval/FourEyes", {
  defaultValue: () => defaultFourEyes
})

/** Whether a change waits for a second operator. Pure. */
export const needsSecond = (
  { adjustments, erasures, transfersFrom }: FourEyes,
  command:
    | Pick<Extract<ProposedCommand, { _tag: "Transfer" }>, "_tag" | "kind" | "amount">
    | { readonly _tag: "Erasure" }
): boolean => {
  if (command._tag === "Erasure") return erasures
  const { amount, kind } = command
  if (kind === "ADJUSTMENT" && adjustments) return true
  return amount.minor >= (transfersFrom.get(amount.currency) ?? 0n)
}
