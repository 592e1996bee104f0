import type {
  CalledVerification,
  HeldVerification,
  KycStore,
  VerificationClaim,
  VerificationProgress
} from "@surety/core/kyc/KycStore"
import { isOpen } from "@surety/core/kyc/verification/Verification"
import { DateTime, Option } from "effect"
import type { Database, Sql } from "./Database.ts"
import { provePerson } from "./provePerson.ts"
import { findVerification, type StoredVerification, saveVerification, verifications } from "./StoredVerification.ts"

type Holding = Pick<KycStore["Service"], "claim" | "hold" | "seize" | "save">

const isFree = ({ heldUntil, verification }: StoredVerification, now: DateTime.Utc): boolean =>
  isOpen(verification.status) && (heldUntil === undefined || DateTime.isLessThanOrEqualTo(heldUntil, now))

/** Gives the verification to a new holder. */
const take = (sql: Sql, stored: StoredVerification, heldUntil: DateTime.Utc): HeldVerification => {
  const { dueAt, looks, verification } = stored
  const fence = stored.fence + 1
  saveVerification(sql, { ...stored, fence, heldUntil })
  return { verification, fence, looks, dueAt: dueAt ?? verification.createdAt }
}

const due = (sql: Sql, { id, limit, now }: VerificationClaim): ReadonlyArray<StoredVerification> => {
  const at = DateTime.formatIso(now)
  return verifications.all(sql.all`
    select record from verification
    where due_at <= ${at} and (held_until is null or held_until <= ${at}) and id = coalesce(${id ?? null}, id)
    order by due_at, id limit ${limit}`)
}

/** The provider's verification: by our reference where it names that, else by its own, of which the newest. */
const meant = (sql: Sql, { provider, providerReference, reference }: CalledVerification) => {
  if (reference !== undefined) {
    const stored = findVerification(sql, reference)
    const isMeant = stored?.verification.provider === provider && isOpen(stored.verification.status)
    return isMeant ? stored : undefined
  }
  return verifications.of(sql.get`
    select record from verification
    where provider_reference = ${providerReference ?? null} and provider = ${provider} and due_at is not null
    order by id desc limit 1`)
}

/** The open verification that `held` still holds. */
const heldBy = (sql: Sql, { fence, verification: { id } }: HeldVerification): StoredVerification | undefined => {
  const stored = findVerification(sql, id)
  return stored !== undefined && isOpen(stored.verification.status) && stored.fence === fence ? stored : undefined
}

const save = (sql: Sql, progress: VerificationProgress): Option.Option<string> => {
  const stored = heldBy(sql, progress.held)
  if (stored === undefined) return Option.none()
  const { dueAt, heldUntil, looks, verification } = progress
  const answer = stored.kept?.answer ?? progress.answer
  const kept = stored.kept && { ...stored.kept, answer }
  saveVerification(sql, { ...stored, verification, kept, looks, dueAt, heldUntil })
  if (progress.proof !== undefined) provePerson(sql, progress.proof)
  return Option.some(answer)
}

/** The part of `KycStore` that hands open verifications from one worker to the next. */
export const holdVerifications = ({ write }: Database["Service"]): Holding => ({
  claim: (claim) =>
    write("KycStore.claim", (sql) => due(sql, claim).map((stored) => take(sql, stored, claim.heldUntil))),

  hold: (id, now, heldUntil) =>
    write("KycStore.hold", (sql) => {
      const stored = findVerification(sql, id)
      return stored !== undefined && isFree(stored, now) ? Option.some(take(sql, stored, heldUntil)) : Option.none()
    }),

  seize: (called, heldUntil) =>
    write("KycStore.seize", (sql) => {
      const stored = meant(sql, called)
      return stored === undefined ? Option.none() : Option.some(take(sql, stored, heldUntil))
    }),

  save: (progress) => write("KycStore.save", (sql) => save(sql, progress))
})
