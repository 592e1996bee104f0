import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshPayment from "../payment/FreshPayment.js"

export const day = 24 * 60 * 60_000

export const payoutOf = ({ payment, scope }: FreshPayment.Sale): Proposal => ({
  id: Fresh.proposalId(payment.createdAt),
  environment: scope.environment,
  command: {
    _tag: "Transfer",
    kind: "PAYOUT",
    amount: { currency: payment.amount.currency, minor: 1_000n },
    merchantId: scope.merchantId
  },
  reason: 'Week 46: "as agreed"',
  proposedBy: "Ada",
  proposedAt: payment.createdAt,
  endsAt: Fresh.later(payment.createdAt, day),
  status: "OPEN"
})

export const erasureOf = (sale: FreshPayment.Sale, serviceId: ConsumerId): Proposal => ({
  ...payoutOf(sale),
  command: { _tag: "Erasure", serviceId }
})

/** Builds a proposal to debit a person's wallet by the largest amount that the API accepts. */
export const adjustmentOf = (sale: FreshPayment.Sale, serviceId: ConsumerId): Proposal => ({
  ...payoutOf(sale),
  command: {
    _tag: "Transfer",
    kind: "ADJUSTMENT",
    direction: "DEBIT",
    amount: { ...sale.payment.amount, minor: 999_999_999_999_999n },
    serviceId
  }
})

export const planOf = (proposal: Proposal, idempotencyKey = Fresh.idempotencyKey()) => ({
  proposal,
  idempotencyKey,
  fingerprint: Fingerprint.make(`k.${proposal.id}`)
})

export const sold = FreshPayment.settled({ amountMinor: 10_000n })

export const proposed = Effect.gen(function* () {
  const store = yield* ProposalStore
  const sale = yield* sold
  const proposal = payoutOf(sale)
  assertEquals(yield* store.propose(planOf(proposal)), { _tag: "Proposed" })
  return { sale, proposal, decision: decisionOn(proposal) }
})

/** Builds a decision by another operator. */
export const decisionOn = ({ environment, id, proposedAt }: Proposal) => ({
  environment,
  id,
  by: "obi",
  at: Fresh.later(proposedAt, 1_000)
})

/** Posts the payout under a new key each time, so that only the proposal prevents a second payout. */
export const paying = Effect.fnUntraced(function* ({ command, environment, id, proposedAt }: Proposal) {
  const transfers = yield* OperatorTransferStore
  if (command._tag !== "Transfer" || command.merchantId === undefined) return assert.fail("it is a payout")
  const posted: OperatorTransfer = {
    id: Fresh.transferId(proposedAt),
    kind: command.kind,
    environment,
    merchantId: command.merchantId,
    amount: command.amount,
    reason: "as agreed",
    at: proposedAt
  }
  const idempotencyKey = IdempotencyKey.make(Fresh.randomText("posted"))
  const outcome = yield* transfers.post({ posted, idempotencyKey, fingerprint: Fingerprint.make(`k.${id}`) })
  assert.strictEqual(outcome._tag, "Posted")
  return { result: posted.id, transferId: posted.id }
})

export const balanceOf = (sale: FreshPayment.Sale) => LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale))
