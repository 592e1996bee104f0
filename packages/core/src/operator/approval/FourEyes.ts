import { Context, DateTime, Duration } from "effect"
import { type Currency, NGN } from "../../Currency.js"
import type { Environment } from "../../Environment.js"
import { soleOperator } from "../Operator.js"
import type { MovedBy } from "../OperatorActionStore.js"
import { isSameOperator, type ProposedCommand, type ProposedTransfer } from "./Proposal.js"

/** Which changes need a second operator. */
export interface FourEyes {
  /**
   * The amount from which a transfer needs two operators, in minor units. A transfer in a currency without an entry
   * needs two from any amount on. What an operator moved alone within 24 hours counts towards it.
   */
  readonly transfersFrom: ReadonlyMap<Currency, bigint>
  /** Whether every adjustment needs two, however small. */
  readonly adjustments: boolean
  /** Whether every erasure needs two. */
  readonly erasures: boolean
  /** Whether the HTTP interface enforces it too. The console always does. */
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

/** How far back an operator's own transfers count towards the amount from which two are needed. */
export const movedAloneWithin = Duration.hours(24)

/**
 * What counts for an operator's next transfer: its own transfers, and the payments that it recorded. Those that the bearer
 * of the only token recorded do not count, since that bearer is the platform's own system too.
 */
export const movedBy = (actor: string, environment: Environment, currency: Currency, now: DateTime.Utc): MovedBy => ({
  actor,
  kinds: isSameOperator(actor, soleOperator.name) ? ["transfer.posted"] : ["transfer.posted", "payment.recorded"],
  environment,
  currency,
  since: DateTime.subtractDuration(now, movedAloneWithin)
})

/** Whether a transfer waits for a second operator, if its operator has moved `movedMinor` alone before. Pure. */
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
