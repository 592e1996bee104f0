import type { RefundId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Refund } from "@surety/core/refund/Refund"
import { Schema } from "effect"
import type { Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

/** A refund with what only the store knows of it. */
const StoredRefund = Schema.Struct({
  refund: Refund,
  idempotencyKey: IdempotencyKey,
  fingerprint: Fingerprint,
  /** The answer to give again; absent while the refund is pending. */
  answer: Schema.optional(Schema.String),
  /** How often it was held: the latest holder's fence. */
  fence: Schema.Int,
  heldUntil: Schema.optional(Schema.DateTimeUtc)
})
export type StoredRefund = typeof StoredRefund.Type

export const refunds = storedRecord(StoredRefund)

export const findRefund = (sql: Sql, id: RefundId): StoredRefund | undefined =>
  refunds.of(sql.get`select record from refund where id = ${id}`)

/** The refund that holds the key. A failed one holds none. */
export const findRefundByKey = (
  sql: Sql,
  { environment, merchantId }: MerchantScope,
  key: IdempotencyKey
): StoredRefund | undefined =>
  refunds.of(sql.get`
    select record from refund
    where merchant_id = ${merchantId} and environment = ${environment} and idempotency_key = ${key}
      and status <> 'FAILED'`)

export const insertRefund = (sql: Sql, stored: StoredRefund): void => {
  sql.run`insert into refund (record) values (${refunds.text(stored)})`
}

export const saveRefund = (sql: Sql, stored: StoredRefund): void => {
  sql.run`update refund set record = ${refunds.text(stored)} where id = ${stored.refund.id}`
}
