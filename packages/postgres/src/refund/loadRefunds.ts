import { toUuid } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { Payment } from "@surety/core/payment/Payment"
import type { RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { RefundLookup } from "@surety/core/refund/RefundStore"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as PaymentRow from "../payment/PaymentRow.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

/** A payment without its merchant and environment, which come from the lookup. */
const FoundPayment = Schema.Struct(PaymentRow.ownColumns)

const Prior = Schema.Struct({
  refundId: Column.refundId,
  fingerprint: Fingerprint,
  answer: Schema.NullOr(Schema.String)
})

const Loaded = Schema.Struct({
  prior: Schema.optionalKey(Prior),
  byId: Schema.optionalKey(FoundPayment),
  byReference: Schema.optionalKey(FoundPayment),
  refundsEnabled: Schema.NullOr(Schema.Boolean),
  settlementOverdraft: Schema.NullOr(Schema.Boolean),
  settlementMinor: Schema.BigInt,
  walletOpen: Schema.Boolean
})

const decodeLoaded = Schema.decodeUnknownEffect(Schema.Array(Loaded))

type Row = Readonly<Record<string, unknown>>

const paymentIn = (row: Row, prefix: "by_id" | "by_reference"): Row => ({
  id: row[`${prefix}_id`],
  reference: row[`${prefix}_reference`],
  method: row[`${prefix}_method`],
  status: row[`${prefix}_status`],
  currency: row[`${prefix}_currency`],
  amountMinor: row[`${prefix}_amount_minor`],
  refundedMinor: row[`${prefix}_refunded_minor`],
  userId: row[`${prefix}_user_id`],
  serviceId: row[`${prefix}_service_id`],
  createdAt: row[`${prefix}_created_at`],
  settledAt: row[`${prefix}_settled_at`],
  testOutcome: row[`${prefix}_test_outcome`]
})

/** Groups the row's columns by record and omits missing records. */
const structured = (row: Row): Row => ({
  ...(row.prior_id === null
    ? {}
    : { prior: { refundId: row.prior_id, fingerprint: row.prior_fingerprint, answer: row.prior_answer } }),
  ...(row.by_id_id === null ? {} : { byId: paymentIn(row, "by_id") }),
  ...(row.by_reference_id === null ? {} : { byReference: paymentIn(row, "by_reference") }),
  refundsEnabled: row.refunds_enabled,
  settlementOverdraft: row.settlement_overdraft,
  settlementMinor: row.settlement_minor,
  walletOpen: row.wallet_open
})

const paymentOf = ({ scope }: RefundLookup, found: typeof FoundPayment.Type): Payment =>
  PaymentRow.paymentOf({ ...found, merchantId: scope.merchantId, environment: scope.environment })

const snapshotOf = (lookup: RefundLookup, loaded: typeof Loaded.Type): RefundSnapshot => ({
  prior: loaded.prior && { ...loaded.prior, answer: loaded.prior.answer ?? undefined },
  byId: loaded.byId && paymentOf(lookup, loaded.byId),
  byReference: loaded.byReference && paymentOf(lookup, loaded.byReference),
  refundsEnabled: loaded.refundsEnabled ?? false,
  settlementOverdraft: loaded.settlementOverdraft ?? false,
  settlementMinor: loaded.settlementMinor,
  walletOpen: loaded.walletOpen
})

const lookupRow = ({ idempotencyKey, paymentId, reference, scope }: RefundLookup) => ({
  merchant_id: toUuid(scope.merchantId),
  environment: scope.environment,
  idempotency_key: idempotencyKey,
  payment_id: paymentId,
  reference
})

/** Loads the snapshots of several refunds in one round trip, in the order of `lookups`. */
export const loadRefunds = (
  { nameText, sql }: Database,
  lookups: ReadonlyArray<RefundLookup>
): Effect.Effect<ReadonlyArray<RefundSnapshot>, SqlError | Schema.SchemaError> =>
  sql.unsafe<Row>(`select * from ${nameText("load_refunds")}($1)`, [JsonRow.textOf(lookups.map(lookupRow))]).pipe(
    Effect.flatMap((rows) => decodeLoaded(rows.map(structured))),
    Effect.map((rows) =>
      rows.flatMap((loaded, index) => {
        const lookup = lookups[index]
        return lookup === undefined ? [] : [snapshotOf(lookup, loaded)]
      })
    )
  )
