import { DateTime, Option } from "effect"
import type { KycProof, Prove } from "../evidence/KycStanding.js"
import type { KycSchedule } from "../KycSchedule.js"
import type { HeldVerification, VerificationProgress } from "../KycStore.js"
import type { KycOutcome } from "../provider/KycProvider.js"
import { type Checks, type FailureReason, isOpen, type Verification } from "./Verification.js"

/** When a plan is made, when the provider is looked at, and what a result proves. */
export interface Moment {
  readonly now: DateTime.Utc
  readonly schedule: KycSchedule
  readonly prove: Prove
  /** Writes the response to store. */
  readonly responseOf: (verification: Verification) => string
}

type Change = Pick<Verification, "status"> &
  Partial<Pick<Verification, "checks" | "failureReason" | "method" | "providerReference">>

const unchanged = ({ verification: { status } }: HeldVerification): Change => ({ status })

const proofOf = (verification: Verification, { now, prove }: Moment): KycProof | undefined => {
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
  held: HeldVerification,
  change: Change,
  next: Pick<VerificationProgress, "looks" | "dueAt" | "heldUntil">,
  moment: Moment
): VerificationProgress => {
  const verification: Verification = {
    ...held.verification,
    ...change,
    ...(isOpen(change.status) ? {} : { completedAt: moment.now })
  }
  return { held, verification, ...next, answer: moment.responseOf(verification), proof: proofOf(verification, moment) }
}

const ended = (held: HeldVerification, change: Change, moment: Moment): VerificationProgress =>
  progressOf(held, change, { looks: held.looks, dueAt: undefined, heldUntil: undefined }, moment)

/** Open until the next look of the schedule; ended where it has none left, so that nothing waits for ever. */
const waiting = (
  held: HeldVerification,
  change: Change,
  moment: Moment,
  overdue: FailureReason
): VerificationProgress => {
  const { now, schedule } = moment
  const delay = schedule.looks[held.looks]
  if (delay === undefined) {
    return change.status === "REQUIRES_ACTION"
      ? ended(held, { ...change, status: "FAILED", failureReason: "action_expired" }, moment)
      : ended(held, { ...change, status: "ERROR", failureReason: overdue }, moment)
  }
  const next = { looks: held.looks + 1, dueAt: DateTime.addDuration(now, delay), heldUntil: undefined }
  return progressOf(held, change, next, moment)
}

/** The four comparisons and no more: an adapter's object may carry what its provider said of the person besides. */
const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Partial<Checks>): Checks => ({
  first_name: first_name ?? "NOT_CHECKED",
  last_name: last_name ?? "NOT_CHECKED",
  date_of_birth: date_of_birth ?? "NOT_CHECKED",
  selfie: selfie ?? "NOT_CHECKED"
})

/**
 * What follows from the provider's word. `VERIFIED` says that the number is in order; whether it shows anything of the
 * person, the policy decides from the checks and the method. What is not recognised is never `VERIFIED`.
 */
export const afterOutcome = (held: HeldVerification, outcome: KycOutcome, moment: Moment): VerificationProgress => {
  const known = outcome.providerReference === undefined ? {} : { providerReference: outcome.providerReference }
  switch (outcome._tag) {
    case "Verified":
      return ended(held, { ...known, status: "VERIFIED", checks: checksOf(outcome.checks) }, moment)
    case "Failed": {
      const checks = checksOf(outcome.checks)
      return ended(held, { ...known, status: "FAILED", failureReason: outcome.reason, checks }, moment)
    }
    case "Pending":
      return waiting(held, { ...known, status: "PENDING" }, moment, "provider_overdue")
    case "RequiresAction":
      return waiting(
        held,
        { ...known, status: "REQUIRES_ACTION", method: "MERCHANT_ATTESTED" },
        moment,
        "provider_overdue"
      )
    case "Errored":
      return ended(held, { ...known, status: "ERROR", failureReason: outcome.reason }, moment)
    case "Unrecognised":
      return ended(held, { ...known, status: "ERROR", failureReason: "provider_answer_unknown" }, moment)
  }
}

/** What follows when the provider did not say: it is looked at again. */
export const afterSilence = (held: HeldVerification, moment: Moment): VerificationProgress =>
  waiting(held, unchanged(held), moment, "provider_unavailable")

/** The same verification with the holder's code handed on, and its looks begun anew: the result is near. */
const withCode = (held: HeldVerification): HeldVerification => ({
  ...held,
  looks: 0,
  verification: { ...held.verification, method: "HOLDER_CODE" }
})

/** What follows from the holder's code. A wrong one changes nothing. */
export const afterCode = (held: HeldVerification, outcome: KycOutcome, moment: Moment): VerificationProgress =>
  outcome._tag === "RequiresAction"
    ? asItStands(held, undefined, moment)
    : afterOutcome(withCode(held), outcome, moment)

/** What follows when it is unknown whether the provider took a code: none is asked for until a look has told. */
export const afterLostCode = (held: HeldVerification, moment: Moment): VerificationProgress =>
  waiting(withCode(held), { status: "PENDING" }, moment, "provider_unavailable")

/**
 * What follows from a look at the provider. Where it has never confirmed the verification and does not know it, the
 * submission did not arrive; nobody has the number any more, so it ends, and the merchant sends it again under a new
 * key.
 */
export const afterLook = (
  held: HeldVerification,
  found: Option.Option<KycOutcome>,
  moment: Moment
): VerificationProgress => {
  if (Option.isSome(found)) return afterOutcome(held, found.value, moment)
  return held.verification.providerReference === undefined
    ? ended(held, { status: "ERROR", failureReason: "submission_interrupted" }, moment)
    : waiting(held, unchanged(held), moment, "provider_overdue")
}

/** The end of a submission that never reached the provider. */
export const afterNoSubmission = (held: HeldVerification, moment: Moment): VerificationProgress =>
  ended(held, { status: "ERROR", failureReason: "provider_unavailable" }, moment)

/** Nothing has changed; it is the holder's until `heldUntil`, or nobody's where that is absent. */
export const asItStands = (
  held: HeldVerification,
  heldUntil: DateTime.Utc | undefined,
  moment: Moment
): VerificationProgress =>
  progressOf(held, unchanged(held), { looks: held.looks, dueAt: held.dueAt, heldUntil }, moment)
