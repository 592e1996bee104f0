import { toUuid } from "@surety/core/Ids"
import type { RefundPlan } from "@surety/core/refund/decideRefund"
import { DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { eventsText } from "../event/appendEvents.js"
import { consumerOf, merchantOf } from "../ledger/AccountRow.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import * as PgArray from "../sql/PgArray.js"
import { ItemsColumn, ownAnswer } from "./RefundRow.js"

const DoneRow = Schema.Struct({ refund_id: Schema.String, deliveries: Schema.BigInt })

const decodeDone = Schema.decodeUnknownEffect(Schema.Array(DoneRow))

/**
 * Converts a plan to the input of `commit_refunds`. Written by hand, since every refund passes through it and a codec
 * would be much slower.
 */
const refundInput = (plan: RefundPlan) => {
  const { event, platformEvent, refund, transfer } = plan
  const eventId = event?.id ?? platformEvent?.id
  return {
    merchant_id: toUuid(refund.merchantId),
    environment: refund.environment,
    payment_id: plan.paymentId,
    refunded_before_minor: plan.refundedBeforeMinor.toString(),
    refund_id: toUuid(refund.id),
    idempotency_key: plan.idempotencyKey,
    fingerprint: plan.fingerprint,
    answer: ownAnswer(plan.answer, event),
    amount_minor: refund.amount.minor.toString(),
    currency: refund.amount.currency,
    reason: refund.reason,
    merchant_reference: refund.merchantReference,
    items: refund.items === undefined ? undefined : encodeItems(refund.items),
    status: refund.status,
    created_at: DateTime.formatIso(refund.createdAt),
    completed_at: refund.completedAt && DateTime.formatIso(refund.completedAt),
    transfer_id: toUuid(transfer.id),
    user_id: consumerOf(transfer.credit),
    overdraft: plan.settlementOverdraft,
    event_id: eventId === undefined ? undefined : toUuid(eventId),
    played: plan.played
  }
}

const encodeItems = Schema.encodeSync(ItemsColumn)

/** The committed plans and the number of deliveries they created. */
export interface Committed {
  readonly plans: ReadonlySet<RefundPlan>
  readonly deliveries: bigint
}

/**
 * Throws unless the plan's transfer matches the one that `commit_refunds` posts. The function takes only the transfer's
 * id and consumer from the plan.
 */
const requireRefundTransfer = ({ refund, transfer }: RefundPlan): void => {
  const { amount, credit, debit, kind } = transfer
  const isRefund =
    kind === "REFUND" &&
    debit.kind === "SETTLEMENT" &&
    debit.owner === refund.merchantId &&
    credit.kind === "WALLET" &&
    credit.books === refund.merchantId &&
    amount.minor === refund.amount.minor &&
    [debit, credit].every(
      (account) => account.environment === refund.environment && account.currency === refund.amount.currency
    )
  if (!isRefund) throw new Error(`the transfer ${transfer.id} is not that of the refund ${refund.id}`)
}

/**
 * Commits, in one statement, the plans whose snapshot still holds. No two plans may share a payment. Plans with an
 * unopened account, or with a payment locked by another transaction, are not committed.
 *
 * With `lockTimeoutMillis`, settlement accounts are locked last, to hold them briefly. The whole commit then fails if a
 * lock is not granted within the timeout. It also fails if a concurrent debit left too little in a settlement account
 * without overdraft. Without `lockTimeoutMillis`, all accounts are locked first, waiting without limit.
 */
export const commitRefunds = Effect.fnUntraced(function* (
  { nameText, sql }: Database,
  plans: ReadonlyArray<RefundPlan>,
  lockTimeoutMillis: number | undefined
): Effect.fn.Return<Committed, SqlError | Schema.SchemaError> {
  plans.forEach(requireRefundTransfer)
  const rows = yield* sql.unsafe(`select * from ${nameText("commit_refunds")}($1, $2, $3)`, [
    JsonRow.textOf(plans.map(refundInput)),
    eventsText(
      plans.flatMap(({ event, platformEvent }) => [event, platformEvent].filter((each) => each !== undefined))
    ),
    lockTimeoutMillis ?? null
  ])
  const done = yield* decodeDone(rows)
  const ids = new Set(done.map(({ refund_id }) => refund_id))
  return {
    plans: new Set(plans.filter(({ refund }) => ids.has(toUuid(refund.id)))),
    deliveries: done[0]?.deliveries ?? 0n
  }
})

/**
 * Opens the transfer's missing accounts. Locks both accounts until the transaction ends, in the order of
 * `postTransfers`.
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
    order by kind desc, environment, currency, merchant_id nulls first, user_id
    on conflict (user_id, merchant_id, environment, currency, kind) do nothing`
  yield* sql`
    select 1 from ${name("account")} a
    where a.environment = ${debit.environment} and a.currency = ${debit.currency} and (
      (a.user_id = ${consumerOf(credit)} and a.merchant_id = ${merchantOf(credit)} and a.kind = 'WALLET')
      or (a.user_id is null and a.merchant_id = ${merchantOf(debit)} and a.kind = 'SETTLEMENT')
    )
    order by a.kind desc
    for no key update`
})
