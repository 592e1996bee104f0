import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { PaymentId, UserId } from "@surety/core/Ids"
import { AmountMinor } from "@surety/core/Money"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Effect, Schema, SchemaTransformation } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** An amount as a JSON number, which is exact because amounts have at most 15 digits. */
const jsonAmount = Schema.Int.pipe(
  Schema.decodeTo(AmountMinor, SchemaTransformation.transform<bigint, number>({ decode: BigInt, encode: Number }))
)

export const ItemsColumn = Schema.Array(
  Schema.Struct({ amountMinor: jsonAmount, reason: Schema.optionalKey(Schema.String) })
)

const RefundRow = Schema.Struct({
  id: Column.refundId,
  merchantId: Column.merchantId,
  environment: Environment,
  paymentId: PaymentId,
  reference: Column.nullable(Schema.String),
  currency: Currency,
  amountMinor: AmountMinor,
  reason: Column.nullable(Schema.String),
  merchantReference: Column.nullable(Schema.String),
  items: Column.nullable(ItemsColumn),
  status: RefundStatus,
  userId: Column.nullable(UserId),
  serviceId: Column.nullable(Column.consumerId),
  createdAt: Column.time,
  completedAt: Column.nullable(Column.time)
})

/** Select list for a refund `r` joined with its payment `p`, which stores the values that both share. */
export const columns = `r.id, r.merchant_id as "merchantId", r.environment, r.payment_id as "paymentId", p.reference,
  p.currency, r.amount_minor as "amountMinor", r.reason, r.merchant_reference as "merchantReference", r.items, r.status,
  p.user_id as "userId", p.service_id as "serviceId", r.created_at as "createdAt", r.completed_at as "completedAt"`

/**
 * Builds SQL for the hash that indexes store instead of a key of any length, such as a payment's id. The hash also
 * covers the key's merchant and environment. `key` is the key's column in `row`.
 */
export const merchantKeyHash = (schema: string, row: string, key: string): string =>
  `${schema}.key_hash(${row}.${key}, ${row}.merchant_id, ${row}.environment)`

/**
 * Builds the condition that `r` is a refund of the payment `p`. The index of a payment's refunds stores a hash of the
 * payment's key, so every lookup compares the hash. It also compares the key itself, to rule out a collision.
 */
export const isRefundOf = (schema: string, r: string, p: string): string =>
  `${merchantKeyHash(schema, r, "payment_id")}
    = ${merchantKeyHash(schema, p, "id")}
  and ${r}.payment_id = ${p}.id and ${r}.merchant_id = ${p}.merchant_id and ${r}.environment = ${p}.environment`

const refundOf = ({ amountMinor, currency, ...row }: typeof RefundRow.Type): Refund => ({
  ...row,
  amount: { currency, minor: amountMinor }
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(RefundRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Refund>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(refundOf))

/**
 * Returns the response to store in a refund's row. Undefined while the refund is pending, or if the response equals the
 * event's body, as for a refund without items. Replays of such a response read it from the event, which never changes.
 */
export const ownAnswer = (answer: string | undefined, event: DomainEvent | undefined): string | undefined =>
  answer === event?.body ? undefined : answer
