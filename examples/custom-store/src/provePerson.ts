import type { Environment } from "@surety/core/Environment"
import type { UserId } from "@surety/core/Ids"
import { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KycProof } from "@surety/core/kyc/evidence/KycStanding"
import type { Sql } from "./Database.ts"
import { findConsumer, saveConsumer } from "./SqliteConsumerStore.ts"
import { storedRecord } from "./StoredRecord.ts"

const evidences = storedRecord(KycEvidence)

const evidenceOf = (sql: Sql, environment: Environment, userId: UserId): ReadonlyArray<KycEvidence> =>
  evidences.all(sql.all`
    select record from kyc_evidence
    where environment = ${environment} and user_id = ${userId}
    order by proved_at, verification_id`)

/** Appends the evidence, and gives the person the standing that follows from all of it. */
export const provePerson = (sql: Sql, { evidence, standingOf }: KycProof): void => {
  const { environment, userId } = evidence
  const consumer = findConsumer(sql, environment, userId)
  if (consumer === undefined) return
  const { kycStatus: status, kycTier: tier, ...person } = consumer
  const earlier = evidenceOf(sql, environment, userId)
  const { kycStatus, kycTier } = standingOf({ evidence: earlier, kycStatus: status, kycTier: tier })
  sql.run`insert into kyc_evidence (record) values (${evidences.text(evidence)})`
  saveConsumer(sql, {
    ...person,
    ...(kycStatus === undefined ? {} : { kycStatus }),
    ...(kycTier === undefined ? {} : { kycTier })
  })
}
