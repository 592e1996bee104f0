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
import { canonicalRefund, type RefundCommand } from "@surety/core/refund/RefundCommand"
import { type RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { responses } from "../Responses.js"

export interface RefundAttemptOptions {
  /** Defaults to the payment's full amount. */
  readonly amountMinor?: bigint
  /** Defaults to a new key. */
  readonly key?: IdempotencyKey
  /** Names of the server's fingerprint keys, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  readonly custody?: RefundContext["custody"]
  readonly at?: DateTime.Utc
  /** Which of the payment's identifiers the request contains. Defaults to `id`. */
  readonly by?: "id" | "reference" | "both"
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
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalRefund(command), "base64url")}`)

/** Requests a refund of the payment as the merchant of `scope`. Returns the decision. */
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

export const planOf = (decision: RefundDecision): RefundPlan => {
  if (decision._tag === "Execute") return decision.plan
  return assert.fail(`Expected the refund to be executed, got ${nameOf(decision)}`)
}

/** Requests a refund and returns its plan. Fails the test unless the refund is executed. */
export const executed = (scope: MerchantScope, payment: Payment, options: RefundAttemptOptions = {}) =>
  Effect.map(make(scope, payment, options), planOf)

export const nameOf = (decision: RefundDecision): string =>
  decision._tag === "Refuse" ? decision.reason._tag : decision._tag

export const tally = (decisions: ReadonlyArray<RefundDecision>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const decision of decisions) counts[nameOf(decision)] = (counts[nameOf(decision)] ?? 0) + 1
  return counts
}

/** Returns the snapshot that a decision on a refund would use. Stores nothing. */
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
