import { KycStatus } from "@surety/core/consumer/Consumer"
import { toUuid } from "@surety/core/Ids"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KycProof, KycStanding } from "@surety/core/kyc/evidence/KycStanding"
import type { HeldVerification, KycStore, VerificationProgress } from "@surety/core/kyc/KycStore"
import { Array as Arr, DateTime, Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as EvidenceRow from "./EvidenceRow.js"

const decodeAnswers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ answer: Schema.String })))

const decodePersons = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      kycStatus: Column.nullable(KycStatus),
      kycTier: Column.nullable(Schema.String),
      evidenceCount: Schema.Int
    })
  )
)

const orNull = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

/** `KycStore.save`: one statement commits; a proof is decided on what was read before, and decided again if that is old. */
export const make = (database: Database): KycStore["Service"]["save"] => {
  const { name, sql, verb } = database
  const verifications = name("verification")

  const isHeld = ({ fence, verification: { environment, id, merchantId } }: HeldVerification): Fragment => sql`
    v.id = ${toUuid(id)} and v.merchant_id = ${toUuid(merchantId)} and v.environment = ${environment}
      and v.due_at is not null and v.fence = ${fence}`

  const changes = ({ answer, dueAt, heldUntil, looks, verification: v }: VerificationProgress): Fragment => sql`
    status = ${v.status}, first_name_result = ${v.checks.first_name}, last_name_result = ${v.checks.last_name},
      date_of_birth_result = ${v.checks.date_of_birth}, selfie_result = ${v.checks.selfie},
      consent_method = ${v.method}, failure_reason = ${v.failureReason ?? null},
      provider_reference = ${v.providerReference ?? null}, completed_at = ${orNull(v.completedAt)},
      answer = coalesce(v.answer, ${answer}), looks = ${looks}, due_at = ${orNull(dueAt)},
      held_until = ${orNull(heldUntil)}`

  const answerIn = (rows: ReadonlyArray<unknown>) =>
    Effect.map(decodeAnswers(rows), (answers) => Option.map(Arr.head(answers), ({ answer }) => answer))

  const saveAlone = (progress: VerificationProgress) =>
    Effect.flatMap(
      sql`update ${verifications} v set ${changes(progress)} where ${isHeld(progress.held)} returning v.answer`,
      answerIn
    )

  /** The person and their evidence; none if the verification is no longer the holder's. */
  const known = Effect.fnUntraced(function* (held: HeldVerification, { environment, userId }: KycEvidence) {
    const persons = yield* decodePersons(
      yield* sql`
        select c.kyc_status as "kycStatus", c.kyc_tier as "kycTier", c.kyc_evidence_count as "evidenceCount"
        from ${name("consumer")} c
        where c.id = ${userId} and c.environment = ${environment}
          and exists (select 1 from ${verifications} v where ${isHeld(held)})`
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

  /** Nothing is stored unless the verification is still held and the person still has that much evidence. */
  const commitProof = (
    progress: VerificationProgress,
    { checks, ...e }: KycEvidence,
    { kycStatus, kycTier }: KycStanding,
    evidenceCount: number
  ) =>
    Effect.flatMap(
      sql`
        with held as materialized (
          select v.id from ${verifications} v where ${isHeld(progress.held)} for no key update
        ),
        person as (
          update ${name("consumer")} c
          set kyc_status = ${kycStatus ?? null}, kyc_tier = ${kycTier ?? null},
            kyc_evidence_count = c.kyc_evidence_count + 1
          from held
          where c.id = ${e.userId} and c.environment = ${e.environment} and c.kyc_evidence_count = ${evidenceCount}
          returning 1
        ),
        stored as (
          update ${verifications} v set ${changes(progress)} from held, person where v.id = held.id
          returning v.answer
        ),
        proved as (
          insert into ${name("kyc_evidence")} (
            verification_id, merchant_id, environment, user_id, kind, provider, first_name_result, last_name_result,
            date_of_birth_result, selfie_result, consent_method, tier, proved_at
          )
          select ${toUuid(e.verificationId)}::uuid, ${toUuid(e.merchantId)}::uuid, ${e.environment}::text,
            ${e.userId}::text, ${e.kind}::text, ${e.provider}::text, ${checks.first_name}::text,
            ${checks.last_name}::text, ${checks.date_of_birth}::text, ${checks.selfie}::text, ${e.method}::text,
            ${e.tier ?? null}::text, ${DateTime.toDate(e.provedAt)}::timestamptz
          from stored
        )
        select answer from stored`,
      answerIn
    )

  const saveProof = Effect.fnUntraced(function* (progress: VerificationProgress, proof: KycProof) {
    while (true) {
      const read = yield* known(progress.held, proof.evidence)
      if (read === undefined) return Option.none<string>()
      const standing = proof.standingOf(read.person)
      const saved = yield* commitProof(progress, proof.evidence, standing, read.evidenceCount)
      if (Option.isSome(saved)) return saved
    }
  })

  return Effect.fn("PgKycStore.save")(
    (progress) => (progress.proof === undefined ? saveAlone(progress) : saveProof(progress, progress.proof)),
    verb("KycStore.save")
  )
}
