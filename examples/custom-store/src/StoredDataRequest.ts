import type { ConsentTarget } from "@surety/core/consent/ConsentStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { DataRequestId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { SealedSecret } from "@surety/core/secret/Keyring"
import { DateTime, Schema } from "effect"
import type { Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

/** A data request with what only the store knows of it. */
const StoredDataRequest = Schema.Struct({
  request: DataRequest,
  /** Absent once it was forgotten. */
  kept: Schema.optional(Schema.Struct({ answer: Schema.String })),
  link: Schema.optional(Schema.Struct({ tokenHash: ConsentTokenHash, sealedUrl: SealedSecret })),
  /** From when on the person is to be told; absent when they need not be, or were. */
  notifyAt: Schema.optional(Schema.DateTimeUtc)
})
export type StoredDataRequest = typeof StoredDataRequest.Type

export const dataRequests = storedRecord(StoredDataRequest)

/** The request that is meant, if the target may mean it. */
export const findDataRequest = (
  sql: Sql,
  { id, scope }: ConsentTarget<DataRequestId>
): StoredDataRequest | undefined => {
  const stored = dataRequests.of(sql.get`select record from data_request where id = ${id}`)
  const isMeant =
    scope === undefined ||
    (stored?.request.merchantId === scope.merchantId && stored.request.environment === scope.environment)
  return isMeant ? stored : undefined
}

const decodeKey = Schema.decodeUnknownSync(Schema.Struct({ data_request_id: Schema.String, fingerprint: Fingerprint }))

/** The request that a key stands for, and what the key was sent with. */
export const findByKey = (
  sql: Sql,
  { environment, merchantId }: MerchantScope,
  key: IdempotencyKey
): { readonly stored: StoredDataRequest; readonly fingerprint: Fingerprint } | undefined => {
  const row = sql.get`
    select data_request_id, fingerprint from data_request_key
    where merchant_id = ${merchantId} and environment = ${environment} and idempotency_key = ${key}`
  if (row === undefined) return undefined
  const { data_request_id, fingerprint } = decodeKey(row)
  const stored = dataRequests.of(sql.get`select record from data_request where id = ${data_request_id}`)
  return stored && { stored, fingerprint }
}

/** Keeps a key for a request. */
export const insertKey = (
  sql: Sql,
  { environment, id, merchantId }: DataRequest,
  { fingerprint, idempotencyKey }: { readonly idempotencyKey: IdempotencyKey; readonly fingerprint: Fingerprint },
  keptSince: DateTime.Utc
): void => {
  sql.run`
    insert into data_request_key (
      merchant_id, environment, idempotency_key, data_request_id, fingerprint, kept_since
    )
    values (${merchantId}, ${environment}, ${idempotencyKey}, ${id}, ${fingerprint}, ${DateTime.formatIso(keptSince)})`
}

export const insertDataRequest = (sql: Sql, stored: StoredDataRequest): void => {
  sql.run`insert into data_request (record) values (${dataRequests.text(stored)})`
}

export const saveDataRequest = (sql: Sql, stored: StoredDataRequest): void => {
  sql.run`update data_request set record = ${dataRequests.text(stored)} where id = ${stored.request.id}`
}
