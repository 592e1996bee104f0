import { DateTime, Option } from "effect"
import type { EventId } from "../../Ids.js"
import type { KycProof, Prove } from "../evidence/KycStanding.js"
import type { KycSchedule } from "../KycSchedule.js"
import type { LeasedVerification, VerificationProgress } from "../KycStore.js"
import type { KycOutcome } from "../provider/KycProvider.js"
import { completedEvent } from "./completedEvent.js"
import { type Checks, isVerificationOpen, type KycFailureReason, type Verification } from "./Verification.js"

/** When a plan is made, when lookups are due, and what a result proves. */
export interface ProgressContext {
  readonly now: DateTime.Utc
  readonly schedule: KycSchedule
  readonly prove: Prove
  /** The id of the event of an end, and the trace that causes it (`Traceparent`). */
  readonly eventId: EventId
  readonly traceparent: string | undefined
  /** Writes the response to store. */
  readonly responseOf: (verification: Verification) => string
}

type Change = Pick<Verification, "status"> &
  Partial<Pick<Verification, "checks" | "failureReason" | "method" | "providerReference">>

const unchanged = ({ verification: { status } }: LeasedVerification): Change => ({ status })

const proofOf = (verification: Verification, { now, prove }: ProgressContext): KycProof | undefined => {
  const { checks, environment, id, kind, merchantId, method, provider, status, tier, userId } = verification
  if (status !== "VERIFIED" || provider === undefined) return undefined
  const evidence = {
    verificationId: id,
    merchantId,
    environment,
    userId,
    kind,
    provider,
    checks,
    method,
    provedAt: now
  }
  return prove(tier === undefined ? evidence : { ...evidence, tier })
}

const progressOf = (
  leased: LeasedVerification,
  change: Change,
  next: Pick<VerificationProgress, "looks" | "dueAt" | "leasedUntil">,
  moment: ProgressContext
): VerificationProgress => {
  const verification: Verification = {
    ...leased.verification,
    ...change,
    ...(isVerificationOpen(change.status) ? {} : { completedAt: moment.now })
  }
  return {
    leased,
    verification,
    ...next,
    answer: moment.responseOf(verification),
    proof: proofOf(verification, moment),
    event: completedEvent(verification, moment)
  }
}

const ended = (leased: LeasedVerification, change: Change, moment: ProgressContext): VerificationProgress =>
  progressOf(leased, change, { looks: leased.looks, dueAt: undefined, leasedUntil: undefined }, moment)

/** Open until the next scheduled lookup, or ended if none is left, so that nothing waits forever. */
const waiting = (
  leased: LeasedVerification,
  change: Change,
  moment: ProgressContext,
  overdue: KycFailureReason
): VerificationProgress => {
  const { now, schedule } = moment
  const delay = schedule.looks[leased.looks]
  if (delay === undefined) {
    return change.status === "REQUIRES_ACTION"
      ? ended(leased, { ...change, status: "FAILED", failureReason: "action_expired" }, moment)
      : ended(leased, { ...change, status: "ERROR", failureReason: overdue }, moment)
  }
  const next = { looks: leased.looks + 1, dueAt: DateTime.addDuration(now, delay), leasedUntil: undefined }
  return progressOf(leased, change, next, moment)
}

/** Copies the four checks only: an adapter's object may carry personal data besides. */
const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Partial<Checks>): Checks => ({
  first_name: first_name ?? "NOT_CHECKED",
  last_name: last_name ?? "NOT_CHECKED",
  date_of_birth: date_of_birth ?? "NOT_CHECKED",
  selfie: selfie ?? "NOT_CHECKED"
})

/**
 * After the provider's outcome. `VERIFIED` says that the number is valid; whether it proves the person, the policy
 * decides from the checks and the method. An unrecognised outcome is never `VERIFIED`.
 */
export const afterOutcome = (
  leased: LeasedVerification,
  outcome: KycOutcome,
  moment: ProgressContext
): VerificationProgress => {
  const known = outcome.providerReference === undefined ? {} : { providerReference: outcome.providerReference }
  switch (outcome._tag) {
    case "Verified":
      return ended(leased, { ...known, status: "VERIFIED", checks: checksOf(outcome.checks) }, moment)
    case "Failed": {
      const checks = checksOf(outcome.checks)
      return ended(leased, { ...known, status: "FAILED", failureReason: outcome.reason, checks }, moment)
    }
    case "Pending":
      return waiting(leased, { ...known, status: "PENDING" }, moment, "provider_overdue")
    case "RequiresAction":
      return waiting(
        leased,
        { ...known, status: "REQUIRES_ACTION", method: "MERCHANT_ATTESTED" },
        moment,
        "provider_overdue"
      )
    case "Errored":
      return ended(leased, { ...known, status: "ERROR", failureReason: outcome.reason }, moment)
    case "Unrecognised":
      return ended(leased, { ...known, status: "ERROR", failureReason: "provider_answer_unknown" }, moment)
  }
}

/** After no response: the provider is looked up again. */
export const afterSilence = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  waiting(leased, unchanged(leased), moment, "provider_unavailable")

/** The same verification with the holder's code passed on. Its lookups start again: the result is near. */
const withCode = (leased: LeasedVerification): LeasedVerification => ({
  ...leased,
  looks: 0,
  verification: { ...leased.verification, method: "HOLDER_CODE" }
})

/** After the holder's code. A wrong one changes nothing. */
export const afterCode = (
  leased: LeasedVerification,
  outcome: KycOutcome,
  moment: ProgressContext
): VerificationProgress =>
  outcome._tag === "RequiresAction"
    ? asItStands(leased, undefined, moment)
    : afterOutcome(withCode(leased), outcome, moment)

/** After a code that the provider may not have got: none is asked for until a lookup has told. */
export const afterLostCode = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  waiting(withCode(leased), { status: "PENDING" }, moment, "provider_unavailable")

/**
 * After a lookup. If the provider has never confirmed the verification and does not know it, the submission did not
 * arrive. No one has the number any more, so it ends, and the merchant sends it again under a new key.
 */
export const afterLook = (
  leased: LeasedVerification,
  found: Option.Option<KycOutcome>,
  moment: ProgressContext
): VerificationProgress => {
  if (Option.isSome(found)) return afterOutcome(leased, found.value, moment)
  return leased.verification.providerReference === undefined
    ? ended(leased, { status: "ERROR", failureReason: "submission_interrupted" }, moment)
    : waiting(leased, unchanged(leased), moment, "provider_overdue")
}

/** The end of a submission that never reached the provider. */
export const afterNoSubmission = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  ended(leased, { status: "ERROR", failureReason: "provider_unavailable" }, moment)

/** Nothing changed. The lease lasts until `leasedUntil`, or is released if that is absent. */
export const asItStands = (
  leased: LeasedVerification,
  leasedUntil: DateTime.Utc | undefined,
  moment: ProgressContext
): VerificationProgress =>
  progressOf(leased, unchanged(leased), { looks: leased.looks, dueAt: leased.dueAt, leasedUntil }, moment)
