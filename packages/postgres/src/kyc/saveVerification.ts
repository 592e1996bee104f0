import { KycStatus } from "@surety/core/consumer/Consumer"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KycProof, KycStanding } from "@surety/core/kyc/evidence/KycStanding"
import type { KycStore, LeasedVerification, VerificationProgress } from "@surety/core/kyc/KycStore"
import { Array as Arr, DateTime, Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { deliveriesOf, notify } from "../event/appendEvents.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import * as EvidenceRow from "./EvidenceRow.js"
import * as VerificationRow from "./VerificationRow.js"

const decodeAnswers = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ answer: Schema.String, deliveries: Schema.BigInt }))
)

const decodePersons = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      kycStatus: Column.nullable(KycStatus),
      kycTier: Column.nullable(Schema.String),
      evidenceCount: Schema.Int
    })
  )
)

const evidenceRow = JsonRow.tableRow("kyc_evidence", {
  verification_id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  environment: Schema.String,
  user_id: Schema.String,
  kind: Schema.String,
  provider: Schema.String,
  first_name_result: Schema.String,
  last_name_result: Schema.String,
  date_of_birth_result: Schema.String,
  selfie_result: Schema.String,
  consent_method: Schema.String,
  tier: Schema.UndefinedOr(Schema.String),
  proved_at: JsonRow.time
})

const orNull = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

/**
 * Implements `KycStore.settle`. If the person's evidence changes before a proof commits, decides the person's KYC
 * standing again.
 */
export const make = (database: Database, signal: DeliverySignal["Service"]): KycStore["Service"]["settle"] => {
  const { name, sql, verb } = database
  const verifications = name("verification")

  const isHeld = ({ fence, verification: { environment, id, merchantId } }: LeasedVerification): Fragment => sql`
    v.id = ${toUuid(id)} and v.merchant_id = ${toUuid(merchantId)} and v.environment = ${environment}
      and v.due_at is not null and v.fence = ${fence}`

  const changes = ({
    answer,
    codes,
    dueAt,
    event,
    leasedUntil,
    looks,
    verification: v
  }: VerificationProgress): Fragment => sql`
    status = ${v.status}, first_name_result = ${v.checks.first_name}, last_name_result = ${v.checks.last_name},
      date_of_birth_result = ${v.checks.date_of_birth}, selfie_result = ${v.checks.selfie},
      consent_method = ${v.method}, failure_reason = ${v.failureReason ?? null},
      provider_reference = ${v.providerReference ?? null}, completed_at = ${orNull(v.completedAt)},
      next_action = ${VerificationRow.actionText(v.nextAction)}::jsonb,
      answer = coalesce(v.answer, ${answer}), looks = ${looks}, codes = ${codes}, due_at = ${orNull(dueAt)},
      leased_until = ${orNull(leasedUntil)}, event_id = ${event === undefined ? null : toUuid(event.id)}`

  /**
   * Builds the final part of the statement. It stores the event, if any, and selects the stored response and the number
   * of the event's deliveries.
   */
  const outcome = ({ event }: VerificationProgress): Fragment => sql`
        select answer, ${deliveriesOf(database, event === undefined ? [] : [event])} as deliveries from stored`

  const answerIn = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
    const stored = Arr.head(yield* decodeAnswers(rows))
    if (Option.isSome(stored)) yield* notify(database, signal, stored.value.deliveries)
    return Option.map(stored, ({ answer }) => answer)
  })

  const saveAlone = (progress: VerificationProgress) =>
    Effect.flatMap(
      sql`
        with stored as (
          update ${verifications} v set ${changes(progress)} where ${isHeld(progress.leased)} returning v.answer
        )${outcome(progress)}`,
      answerIn
    )

  /**
   * Reads the person and their evidence. Undefined if the caller's lease is no longer current or the person is missing.
   */
  const known = Effect.fnUntraced(function* (leased: LeasedVerification, { environment, userId }: KycEvidence) {
    const persons = yield* decodePersons(
      yield* sql`
        select c.kyc_status as "kycStatus", c.kyc_tier as "kycTier", c.kyc_evidence_count as "evidenceCount"
        from ${name("consumer")} c
        where c.id = ${userId} and c.environment = ${environment}
          and exists (select 1 from ${verifications} v where ${isHeld(leased)})`
    )
    const [person] = persons
    if (person === undefined) return undefined
    const rows = yield* sql`
      select ${sql.literal(EvidenceRow.columns)} from ${name("kyc_evidence")} e
      where e.user_id = ${userId} and e.environment = ${environment}
      order by e.proved_at, e.verification_id`
    const { evidenceCount, kycStatus, kycTier } = person
    return { evidenceCount, person: { kycStatus, kycTier, evidence: yield* EvidenceRow.decode(rows) } }
  })

  /**
   * Commits progress, evidence and the person's KYC standing. Stores nothing unless the lease is current and the
   * person's evidence has not changed since it was read.
   */
  const commitProof = (
    progress: VerificationProgress,
    { checks, ...e }: KycEvidence,
    { kycStatus, kycTier }: KycStanding,
    evidenceCount: number
  ) =>
    Effect.flatMap(
      sql`
        with leased as materialized (
          select v.id from ${verifications} v where ${isHeld(progress.leased)} for no key update
        ),
        person as (
          update ${name("consumer")} c
          set kyc_status = ${kycStatus ?? null}, kyc_tier = ${kycTier ?? null},
            kyc_evidence_count = c.kyc_evidence_count + 1
          from leased
          where c.id = ${e.userId} and c.environment = ${e.environment} and c.kyc_evidence_count = ${evidenceCount}
          returning 1
        ),
        stored as (
          update ${verifications} v set ${changes(progress)} from leased, person where v.id = leased.id
          returning v.answer
        ),
        proved as (
          ${evidenceRow.insertWhen(
            database,
            {
              verification_id: e.verificationId,
              merchant_id: e.merchantId,
              environment: e.environment,
              user_id: e.userId,
              kind: e.kind,
              provider: e.provider,
              first_name_result: checks.first_name,
              last_name_result: checks.last_name,
              date_of_birth_result: checks.date_of_birth,
              selfie_result: checks.selfie,
              consent_method: e.method,
              tier: e.tier,
              proved_at: e.provedAt
            },
            sql.literal("stored")
          )}
        )${outcome(progress)}`,
      answerIn
    )

  const saveProof = Effect.fnUntraced(function* (progress: VerificationProgress, proof: KycProof) {
    while (true) {
      const read = yield* known(progress.leased, proof.evidence)
      if (read === undefined) return Option.none<string>()
      const standing = proof.standingOf(read.person)
      const saved = yield* commitProof(progress, proof.evidence, standing, read.evidenceCount)
      if (Option.isSome(saved)) return saved
    }
  })

  return Effect.fn("PgKycStore.settle")(
    (progress) => (progress.proof === undefined ? saveAlone(progress) : saveProof(progress, progress.proof)),
    verb("KycStore.settle")
  )
}
