import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import * as Fresh from "@surety/testing/FreshIds"
import { expectFailure } from "@surety/testing/Law"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect, Option } from "effect"
import * as TestStores from "../TestStores.js"

/**
 * Proposes a payout. `approve` carries it out, with `before` and `after` around the posting, and records an operator
 * action. `stored` reads the proposal's status and counts the rows of this transfer and this action, 0 or 1 each.
 */
const approving = Effect.gen(function* () {
  const store = yield* ProposalStore
  const transfers = yield* OperatorTransferStore
  const actions = yield* OperatorActionStore
  const sql = yield* PgClient.PgClient
  const { payment, scope } = yield* FreshPayment.settled({ amountMinor: 10_000n })
  const { createdAt: at } = payment
  const { environment, merchantId } = scope
  const amount = { currency: payment.amount.currency, minor: 1_000n }
  const proposal: Proposal = {
    id: Fresh.proposalId(at),
    environment,
    command: { _tag: "Transfer", kind: "PAYOUT", amount, merchantId },
    reason: "as agreed",
    proposedBy: "ada",
    proposedAt: at,
    endsAt: Fresh.later(at, 60_000),
    status: "OPEN"
  }
  const fingerprint = Fingerprint.make(`k.${proposal.id}`)
  yield* store.propose({ proposal, idempotencyKey: Fresh.idempotencyKey(), fingerprint })
  const posted: OperatorTransfer = {
    id: Fresh.transferId(at),
    kind: "PAYOUT",
    environment,
    amount,
    merchantId,
    reason: "r",
    at
  }
  const post = transfers.post({ posted, idempotencyKey: Fresh.idempotencyKey(), fingerprint })
  const action: OperatorAction = {
    id: Fresh.operatorActionId(at),
    actor: "obi",
    kind: "transfer.posted",
    target: posted.id,
    merchantId,
    changes: [],
    at
  }
  const approve = <E, R>(before: Effect.Effect<unknown, E, R>, after: Effect.Effect<unknown, E, R>, kept = action) =>
    actions.commit(
      store.carryOut({ environment, id: proposal.id, by: "obi", at }, () =>
        Effect.all([before, post, after]).pipe(Effect.as({ result: posted, transferId: posted.id }))
      ),
      () => kept
    )
  const stored = Effect.gen(function* () {
    const id = toUuid(posted.id)
    const transfer = yield* sql`select 1 from surety.transfer where id = ${id}`
    const action_ = yield* sql`select 1 from surety.operator_action where id = ${toUuid(action.id)}`
    const { status } = Option.getOrThrow(yield* store.find(environment, proposal.id))
    return `${status} ${transfer.length} ${action_.length}`
  })
  return { action, approve, proposal, sql, stored }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("proposals", (it) => {
  it.effect(
    "are marked in the commit of their change and its action: a connection that dies anywhere leaves none",
    () =>
      Effect.gen(function* () {
        const { action, approve, sql, stored } = yield* approving
        const die = sql`select pg_terminate_backend(pg_backend_pid())`
        yield* expectFailure("before the change", approve(die, Effect.void))
        assert.strictEqual(yield* stored, "OPEN 0 0")
        yield* expectFailure("after the change", approve(Effect.void, die))
        assert.strictEqual(yield* stored, "OPEN 0 0")
        const unkept = { ...action, actor: "" }
        yield* expectFailure("an action that cannot be stored", approve(Effect.void, Effect.void, unkept))
        assert.strictEqual(yield* stored, "OPEN 0 0")
        assert.isTrue(Option.isSome(yield* approve(Effect.void, Effect.void)))
        assert.strictEqual(yield* stored, "APPROVED 1 1")
      })
  )

  it.effect("cannot be stored as approved by their proposer, or without their transfer", () =>
    Effect.gen(function* () {
      const { proposal, sql, stored } = yield* approving
      const id = toUuid(proposal.id)
      const approve = sql`update surety.proposal set status = 'APPROVED', decided_at = now(), decided_by = 'obi' where id = ${id}`
      yield* expectFailure("no transfer", approve)
      yield* expectFailure(
        "the proposer",
        sql`update surety.proposal set status = 'APPROVED', decided_at = now(), decided_by = 'ADA', kind = 'ERASURE',
          transfer_kind = null, currency = null, amount_minor = null, merchant_id = null, service_id = 'SR1-K7QM-WX4T-A'
          where id = ${id}`
      )
      assert.strictEqual(yield* stored, "OPEN 0 0")
    })
  )
})
