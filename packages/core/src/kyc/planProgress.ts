import { DateTime, Option } from "effect"
import type { KycOutcome } from "./KycProvider.js"
import type { KycSchedule } from "./KycSchedule.js"
import type { HeldVerification, VerificationProgress } from "./KycStore.js"
import { type Checks, type FailureReason, isContradicted, isOpen, type Verification } from "./Verification.js"
import { answerBody } from "./VerificationRecord.js"

/** When a plan is made, and when the provider is looked at. */
export interface Moment {
  readonly now: DateTime.Utc
  readonly schedule: KycSchedule
}

type Change = Pick<Verification, "status"> &
  Partial<Pick<Verification, "checks" | "failureReason" | "providerReference">>

const unchanged = ({ verification: { status } }: HeldVerification): Change => ({ status })

const progressOf = (
  held: HeldVerification,
  change: Change,
  next: Pick<VerificationProgress, "looks" | "dueAt" | "heldUntil">,
  now: DateTime.Utc
): VerificationProgress => {
  const verification: Verification = {
    ...held.verification,
    ...change,
    ...(isOpen(change.status) ? {} : { completedAt: now })
  }
  return {
    held,
    verification,
    ...next,
    answer: answerBody(verification),
    raisesConsumer: verification.status === "VERIFIED" && !isContradicted(verification.checks)
  }
}

const ended = (held: HeldVerification, change: Change, now: DateTime.Utc): VerificationProgress =>
  progressOf(held, change, { looks: held.looks, dueAt: undefined, heldUntil: undefined }, now)

/** Open until the next look of the schedule; ended where it has none left, so that nothing waits for ever. */
const waiting = (
  held: HeldVerification,
  change: Change,
  { now, schedule }: Moment,
  overdue: FailureReason
): VerificationProgress => {
  const delay = schedule.looks[held.looks]
  if (delay === undefined) {
    return change.status === "REQUIRES_ACTION"
      ? ended(held, { ...change, status: "FAILED", failureReason: "action_expired" }, now)
      : ended(held, { ...change, status: "ERROR", failureReason: overdue }, now)
  }
  const next = { looks: held.looks + 1, dueAt: DateTime.addDuration(now, delay), heldUntil: undefined }
  return progressOf(held, change, next, now)
}

/** The four comparisons and no more: an adapter's object may carry what its provider said of the person besides. */
const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Partial<Checks>): Checks => ({
  first_name: first_name ?? "NOT_CHECKED",
  last_name: last_name ?? "NOT_CHECKED",
  date_of_birth: date_of_birth ?? "NOT_CHECKED",
  selfie: selfie ?? "NOT_CHECKED"
})

/**
 * What follows from the provider's word. A verification that a check contradicts is `VERIFIED` as far as the number
 * goes, and raises nobody: the merchant reads in `checks` that it is somebody else's. What is not recognised is never
 * `VERIFIED`.
 */
export const afterOutcome = (held: HeldVerification, outcome: KycOutcome, moment: Moment): VerificationProgress => {
  const known = outcome.providerReference === undefined ? {} : { providerReference: outcome.providerReference }
  switch (outcome._tag) {
    case "Verified":
      return ended(held, { ...known, status: "VERIFIED", checks: checksOf(outcome.checks) }, moment.now)
    case "Failed": {
      const checks = checksOf(outcome.checks)
      return ended(held, { ...known, status: "FAILED", failureReason: outcome.reason, checks }, moment.now)
    }
    case "Pending":
      return waiting(held, { ...known, status: "PENDING" }, moment, "provider_overdue")
    case "RequiresAction":
      return waiting(held, { ...known, status: "REQUIRES_ACTION" }, moment, "provider_overdue")
    case "Errored":
      return ended(held, { ...known, status: "ERROR", failureReason: outcome.reason }, moment.now)
    case "Unrecognised":
      return ended(held, { ...known, status: "ERROR", failureReason: "provider_answer_unknown" }, moment.now)
  }
}

/** What follows when the provider did not say: it is looked at again. */
export const afterSilence = (held: HeldVerification, moment: Moment): VerificationProgress =>
  waiting(held, unchanged(held), moment, "provider_unavailable")

/**
 * What follows from the holder's code. A wrong one changes nothing. After one that was taken the result is near, however
 * long the holder has taken: the looks begin anew.
 */
export const afterCode = (held: HeldVerification, outcome: KycOutcome, moment: Moment): VerificationProgress =>
  outcome._tag === "RequiresAction"
    ? asItStands(held, undefined, moment)
    : afterOutcome({ ...held, looks: 0 }, outcome, moment)

/** What follows when it is unknown whether the provider took a code: none is asked for until a look has told. */
export const afterLostCode = (held: HeldVerification, moment: Moment): VerificationProgress =>
  waiting({ ...held, looks: 0 }, { status: "PENDING" }, moment, "provider_unavailable")

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
    ? ended(held, { status: "ERROR", failureReason: "submission_interrupted" }, moment.now)
    : waiting(held, unchanged(held), moment, "provider_overdue")
}

/** The end of a submission that never reached the provider. */
export const afterNoSubmission = (held: HeldVerification, { now }: Moment): VerificationProgress =>
  ended(held, { status: "ERROR", failureReason: "provider_unavailable" }, now)

/** Nothing has changed; it is the holder's until `heldUntil`, or nobody's where that is absent. */
export const asItStands = (
  held: HeldVerification,
  heldUntil: DateTime.Utc | undefined,
  { now }: Moment
): VerificationProgress => progressOf(held, unchanged(held), { looks: held.looks, dueAt: held.dueAt, heldUntil }, now)
