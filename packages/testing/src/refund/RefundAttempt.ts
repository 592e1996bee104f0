import { assert } from "@effect/vitest"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Payment } from "@surety/core/payment/Payment"
import type { RefundSnapshot } from "@surety/core/refund/decideRefund"
import {
  decideRefund,
  type RefundContext,
  type RefundDecision,
  type RefundPlan
} from "@surety/core/refund/decideRefund"
import { canonicalText, type RefundCommand } from "@surety/core/refund/RefundCommand"
import { type RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { responses } from "../Responses.js"

export interface RefundAttemptOptions {
  /** Absent: the payment's whole amount. */
  readonly amountMinor?: bigint
  /** A new one unless told. */
  readonly key?: IdempotencyKey
  /** Stands for the keys that the server knows, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  readonly custody?: RefundContext["custody"]
  readonly at?: DateTime.Utc
  /** By which of the payment's identifiers it is asked for; `id` unless told. */
  readonly by?: "id" | "reference" | "both"
  /** Makes the plan another one before it is committed. */
  readonly change?: (plan: RefundPlan) => RefundPlan
}

const commandOf = (payment: Payment, { amountMinor, by = "id" }: RefundAttemptOptions): RefundCommand => ({
  paymentId: by === "reference" ? undefined : payment.id,
  reference: by === "id" ? undefined : payment.reference,
  currency: payment.amount.currency,
  amountMinor,
  reason: "damaged on arrival",
  merchantReference: "return-17",
  items: undefined
})

const fingerprintOf = (keyId: string, command: RefundCommand): Fingerprint =>
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalText(command), "base64url")}`)

/** Asks for a refund of the payment, on behalf of `scope`, as the service does. */
export const make = Effect.fnUntraced(function* (
  scope: MerchantScope,
  payment: Payment,
  options: RefundAttemptOptions = {}
) {
  const store = yield* RefundStore
  const now = options.at ?? (yield* Fresh.now)
  const command = commandOf(payment, options)
  const [active, ...older] = options.fingerprintKeys ?? ["k1"]
  const idempotencyKey = options.key ?? Fresh.idempotencyKey()
  const context: RefundContext = {
    scope,
    idempotencyKey,
    fingerprints: [fingerprintOf(active, command), ...older.map((keyId) => fingerprintOf(keyId, command))],
    now,
    refundId: Fresh.refundId(now),
    transferId: Fresh.transferId(now),
    eventId: Fresh.eventId(now),
    custody: options.custody ?? "LEDGER",
    responseOf: responses.refund
  }
  const lookup: RefundLookup = { scope, idempotencyKey, paymentId: command.paymentId, reference: command.reference }
  return yield* store.execute(lookup, (snapshot) => {
    const decision = decideRefund(snapshot, command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** The plan of a decision that must be `Execute`. */
export const planOf = (decision: RefundDecision): RefundPlan => {
  if (decision._tag === "Execute") return decision.plan
  return assert.fail(`Expected the refund to be executed, got ${nameOf(decision)}`)
}

/** Asks for a refund that must be executed. */
export const executed = (scope: MerchantScope, payment: Payment, options: RefundAttemptOptions = {}) =>
  Effect.map(make(scope, payment, options), planOf)

/** A decision in a word: its tag, or the rule that refused. */
export const nameOf = (decision: RefundDecision): string =>
  decision._tag === "Refuse" ? decision.reason._tag : decision._tag

/** How many of the decisions have each name. */
export const tally = (decisions: ReadonlyArray<RefundDecision>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const decision of decisions) counts[nameOf(decision)] = (counts[nameOf(decision)] ?? 0) + 1
  return counts
}

/** Reads what a decision would be made on, and stores nothing. */
export const look = Effect.fnUntraced(function* (
  scope: MerchantScope,
  payment: Payment,
  options: Pick<RefundAttemptOptions, "key" | "by"> = {}
) {
  const store = yield* RefundStore
  const command = commandOf(payment, options)
  const seen: Array<RefundSnapshot> = []
  yield* store.execute(
    {
      scope,
      idempotencyKey: options.key ?? Fresh.idempotencyKey(),
      paymentId: command.paymentId,
      reference: command.reference
    },
    (snapshot) => {
      seen.push(snapshot)
      return { _tag: "KeyReused" }
    }
  )
  return seen.at(-1) ?? assert.fail("the store never asked for a decision")
})
