import { toUuid } from "@surety/core/Ids"
import type { RefundPlan } from "@surety/core/refund/decideRefund"
import { DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { consumerOf, merchantOf } from "../ledger/postTransfers.js"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"
import { itemsText } from "./RefundRow.js"

const DoneRow = Schema.Struct({ refund_id: Schema.String, deliveries: Schema.BigInt })

const decodeDone = Schema.decodeUnknownEffect(Schema.Array(DoneRow))

/** Which plans were committed, and how many deliveries that made. */
export interface Committed {
  readonly plans: ReadonlySet<RefundPlan>
  readonly deliveries: bigint
}

/** A refund goes from its merchant's settlement account to a customer's wallet, in the payment's currency. */
const requireRefundTransfer = ({ refund, transfer }: RefundPlan): void => {
  const { amount, credit, debit, kind } = transfer
  const isRefund =
    kind === "REFUND" &&
    debit.kind === "SETTLEMENT" &&
    debit.owner === refund.merchantId &&
    credit.kind === "WALLET" &&
    amount.minor === refund.amount.minor &&
    [debit, credit].every(
      (account) => account.environment === refund.environment && account.currency === refund.amount.currency
    )
  if (!isRefund) throw new Error(`the transfer ${transfer.id} is not that of the refund ${refund.id}`)
}

/** How a commit takes the accounts that its refunds move. */
export interface Holding {
  /**
   * Whether to lock them at the beginning. A settlement account is locked last otherwise, so that it is held as shortly
   * as can be, and the commit fails as a whole where its balance was taken by others meanwhile.
   */
  readonly accounts: boolean
  /** How long to wait for one that somebody else holds, before the commit fails as a whole; 0: for ever. */
  readonly lockTimeoutMillis: number
}

/**
 * Commits in one statement the plans of which what was decided on still stands. No two may be of one payment. Accounts
 * must be open already: a plan that names another is answered as one that does not stand, and so is one whose payment
 * is in somebody else's hands.
 */
export const commitRefunds = Effect.fnUntraced(function* (
  { nameText, sql }: Database,
  plans: ReadonlyArray<RefundPlan>,
  holding: Holding
): Effect.fn.Return<Committed, SqlError | Schema.SchemaError> {
  plans.forEach(requireRefundTransfer)
  const uuids = (of: (plan: RefundPlan) => string | undefined) =>
    PgArray.uuids(plans.map(of).map((id) => (id === undefined ? null : toUuid(id))))
  const texts = (of: (plan: RefundPlan) => string | null | undefined) =>
    PgArray.texts(plans.map((plan) => of(plan) ?? null))
  const amounts = (of: (plan: RefundPlan) => bigint) => PgArray.bigints(plans.map(of))
  const times = (of: (plan: RefundPlan) => DateTime.Utc | undefined) =>
    PgArray.times(plans.map(of).map((at) => (at === undefined ? null : DateTime.toEpochMillis(at))))
  const rows = yield* sql.unsafe(
    `select * from ${nameText("commit_refunds")}(
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25
    )`,
    [
      uuids(({ refund }) => refund.merchantId),
      texts(({ refund }) => refund.environment),
      texts(({ paymentId }) => paymentId),
      amounts(({ refundedBeforeMinor }) => refundedBeforeMinor),
      uuids(({ refund }) => refund.id),
      texts(({ idempotencyKey }) => idempotencyKey),
      texts(({ fingerprint }) => fingerprint),
      texts(({ answer }) => answer),
      amounts(({ refund }) => refund.amount.minor),
      texts(({ refund }) => refund.amount.currency),
      texts(({ refund }) => refund.reason),
      texts(({ refund }) => refund.merchantReference),
      texts(({ refund }) => itemsText(refund.items)),
      texts(({ refund }) => refund.status),
      times(({ refund }) => refund.createdAt),
      times(({ refund }) => refund.completedAt),
      uuids(({ transfer }) => transfer.id),
      texts(({ transfer }) => consumerOf(transfer.credit)),
      PgArray.booleans(plans.map(({ settlementOverdraft }) => settlementOverdraft)),
      uuids(({ event }) => event?.id),
      texts(({ event }) => event?.body),
      times(({ event }) => event?.occurredAt),
      texts(({ event }) => event?.traceparent),
      holding.accounts,
      holding.lockTimeoutMillis
    ]
  )
  const done = yield* decodeDone(rows)
  const ids = new Set(done.map(({ refund_id }) => refund_id))
  return {
    plans: new Set(plans.filter(({ refund }) => ids.has(toUuid(refund.id)))),
    deliveries: done[0]?.deliveries ?? 0n
  }
})

/**
 * Opens the transfer's accounts where they are not open yet and locks them until the transaction's end, in the order
 * that every statement keeps.
 */
export const lockAccounts = Effect.fnUntraced(function* ({ name, sql }: Database, { transfer }: RefundPlan) {
  const { credit, debit } = transfer
  const keys = [credit, debit]
  yield* sql`
    insert into ${name("account")} (kind, environment, currency, merchant_id, user_id, balance_minor)
    select kind, environment, currency, merchant_id, user_id, 0
    from unnest(
      ${PgArray.texts(keys.map(({ kind }) => kind))}, ${PgArray.texts(keys.map(({ environment }) => environment))},
      ${PgArray.texts(keys.map(({ currency }) => currency))}, ${PgArray.uuids(keys.map(merchantOf))},
      ${PgArray.texts(keys.map(consumerOf))}
    ) as k (kind, environment, currency, merchant_id, user_id)
    order by kind desc, environment, currency, merchant_id, user_id
    on conflict (user_id, merchant_id, environment, currency, kind) do nothing`
  yield* sql`
    select 1 from ${name("account")} a
    where a.environment = ${debit.environment} and a.currency = ${debit.currency} and (
      (a.user_id = ${consumerOf(credit)} and a.merchant_id is null and a.kind = 'WALLET')
      or (a.user_id is null and a.merchant_id = ${merchantOf(debit)} and a.kind = 'SETTLEMENT')
    )
    order by a.kind desc
    for no key update`
})
