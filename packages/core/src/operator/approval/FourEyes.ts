import { Context, DateTime, Duration } from "effect"
import { type Currency, NGN } from "../../Currency.js"
import type { Environment } from "../../Environment.js"
import { soleOperator } from "../Operator.js"
import type { MovedBy } from "../OperatorActionStore.js"
import { isSameOperator, type ProposedCommand, type ProposedTransfer } from "./Proposal.js"

/** The policy that determines which changes need a second operator. */
export interface FourEyes {
  /**
   * Smallest amount for which a transfer needs two operators, in minor units, by currency. In a currency without an
   * entry, every transfer needs two. Amounts that the operator moved alone within the last 24 hours are added to the
   * transfer's amount.
   */
  readonly transfersFrom: ReadonlyMap<Currency, bigint>
  /** True if adjustments of any amount need two operators. */
  readonly adjustments: boolean
  /** True if every erasure needs two operators. */
  readonly erasures: boolean
  /** True if the HTTP API also enforces the policy. The console always does. */
  readonly inHttp: boolean
}

/** NGN 10,000.00, in minor units. */
const defaultThreshold = 1_000_000n

export const defaultFourEyes: FourEyes = {
  transfersFrom: new Map([[NGN, defaultThreshold]]),
  adjustments: true,
  erasures: true,
  inHttp: false
}

export const FourEyes = Context.Reference<FourEyes>("@surety/core/operator/approval/FourEyes", {
  defaultValue: () => defaultFourEyes
})

/** Returns true if a change needs a second operator regardless of the amounts that the operator moved before. */
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

/** Window in which money that an operator moved alone counts towards the threshold for a second operator. */
export const movedAloneWithin = Duration.hours(24)

/**
 * Selects the actions whose amounts are added to an operator's next transfer before it is compared with the threshold.
 * These are the operator's own transfers and recorded payments. Payments recorded with the unnamed token do not count,
 * since the host's own system uses that token too.
 */
export const movedBy = (actor: string, environment: Environment, currency: Currency, now: DateTime.Utc): MovedBy => ({
  actor,
  kinds: isSameOperator(actor, soleOperator.name) ? ["transfer.posted"] : ["transfer.posted", "payment.recorded"],
  environment,
  currency,
  since: DateTime.subtractDuration(now, movedAloneWithin)
})

/** Returns true if a transfer needs a second operator, given that the operator has already moved `movedMinor` alone. */
export const needsSecondAfter = (
  policy: FourEyes,
  { amount, kind }: Pick<ProposedTransfer, "amount" | "kind">,
  movedMinor: bigint
): boolean =>
  needsSecond(policy, {
    _tag: "Transfer",
    kind,
    amount: { ...amount, minor: amount.minor + (movedMinor > 0n ? movedMinor : 0n) }
  })
