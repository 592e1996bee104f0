import type { VerificationId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Verification } from "@surety/core/kyc/verification/Verification"
import { Schema } from "effect"
import type { Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

/** A verification with what only the store knows of it. */
const StoredVerification = Schema.Struct({
  verification: Verification,
  /** Absent once it was forgotten. */
  kept: Schema.optional(
    Schema.Struct({
      idempotencyKey: IdempotencyKey,
      fingerprint: Fingerprint,
      answer: Schema.optional(Schema.String)
    })
  ),
  /** How often it was held: the latest holder's fence. */
  fence: Schema.Int,
  looks: Schema.Int,
  /** Absent once it has ended. */
  dueAt: Schema.optional(Schema.DateTimeUtc),
  heldUntil: Schema.optional(Schema.DateTimeUtc)
})
export type StoredVerification = typeof StoredVerification.Type

export const verifications = storedRecord(StoredVerification)

export const findVerification = (sql: Sql, id: VerificationId): StoredVerification | undefined =>
  verifications.of(sql.get`select record from verification where id = ${id}`)

export const insertVerification = (sql: Sql, stored: StoredVerification): void => {
  sql.run`insert into verification (record) values (${verifications.text(stored)})`
}

export const saveVerification = (sql: Sql, stored: StoredVerification): void => {
  sql.run`update verification set record = ${verifications.text(stored)} where id = ${stored.verification.id}`
}
