import { DateTime, type Duration, Option } from "effect"
import type { EventId } from "../../Ids.js"
import type { KycProof, Prove } from "../evidence/KycStanding.js"
import { type KycSchedule, longestAction, mostCodes } from "../KycSchedule.js"
import type { LeasedVerification, VerificationProgress } from "../KycStore.js"
import type { KycOutcome } from "../provider/KycOutcome.js"
import { endEvent } from "./endEvent.js"
import { endingBy, isExpired, type NextAction } from "./NextAction.js"
import { type Checks, isVerificationOpen, type KycFailureReason, type Verification } from "./Verification.js"

/** Inputs to a plan that do not depend on the verification or the provider's outcome. */
export interface ProgressContext {
  readonly now: DateTime.Utc
  readonly schedule: KycSchedule
  readonly prove: Prove
  /** Id of the event that reports the verification's end. `traceparent` links that event to its cause. */
  readonly eventId: EventId
  readonly traceparent: string | undefined
  /** Serialises the response to be stored. */
  readonly responseOf: (verification: Verification) => string
}

type Change = Pick<Verification, "status"> &
  Partial<Pick<Verification, "checks" | "failureReason" | "method" | "nextAction" | "providerReference">>

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
  const { nextAction: earlier, ...before } = leased.verification
  const { nextAction = earlier, ...changed } = change
  const verification: Verification = {
    ...before,
    ...changed,
    ...(nextAction === undefined || change.status !== "REQUIRES_ACTION" ? {} : { nextAction }),
    ...(isVerificationOpen(change.status) ? {} : { completedAt: moment.now })
  }
  return {
    leased,
    verification,
    codes: leased.codes,
    ...next,
    answer: moment.responseOf(verification),
    proof: proofOf(verification, moment),
    event: endEvent(verification, moment)
  }
}

const ended = (leased: LeasedVerification, change: Change, moment: ProgressContext): VerificationProgress =>
  progressOf(leased, change, { looks: leased.looks, dueAt: undefined, leasedUntil: undefined }, moment)

/**
 * Keeps the verification open until its next scheduled lookup. If no lookup is left, ends it as `ERROR`, with `overdue`
 * as the reason. A verification that awaits its holder is left to `waitingForHolder`.
 */
const waiting = (
  leased: LeasedVerification,
  change: Change,
  moment: ProgressContext,
  overdue: KycFailureReason
): VerificationProgress => {
  const delay = moment.schedule.looks[leased.looks]
  if (change.status === "REQUIRES_ACTION") return waitingForHolder(leased, change, moment, delay)
  if (delay === undefined) return ended(leased, { ...change, status: "ERROR", failureReason: overdue }, moment)
  const next = { looks: leased.looks + 1, dueAt: DateTime.addDuration(moment.now, delay), leasedUntil: undefined }
  return progressOf(leased, change, next, moment)
}

/**
 * Keeps the verification open until its next lookup, which is due no later than the holder's deadline. After that
 * deadline, plans the remaining scheduled lookups, and then ends the verification as `FAILED`.
 */
const waitingForHolder = (
  leased: LeasedVerification,
  change: Change,
  moment: ProgressContext,
  delay: Duration.Duration | undefined
): VerificationProgress => {
  const { now } = moment
  const expiresAt = (change.nextAction ?? leased.verification.nextAction)?.expiresAt
  const isOver = expiresAt === undefined || DateTime.isLessThanOrEqualTo(expiresAt, now)
  if (isOver && delay === undefined) return expired(leased, change, moment)
  const scheduled = delay === undefined ? expiresAt : DateTime.addDuration(now, delay)
  const dueAt = isOver || scheduled === undefined ? scheduled : DateTime.min(scheduled, expiresAt)
  const looks = delay === undefined ? leased.looks : leased.looks + 1
  return progressOf(leased, change, { looks, dueAt, leasedUntil: undefined }, moment)
}

const expired = (leased: LeasedVerification, change: Change, moment: ProgressContext): VerificationProgress =>
  ended(leased, { ...change, status: "FAILED", failureReason: "action_expired" }, moment)

/** Ends a verification for which the provider still requests a code after the last allowed one. */
const codeWrong = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  ended(leased, { status: "FAILED", failureReason: "code_wrong" }, moment)

/**
 * Limits an action's deadline to `longestAction` after the verification's creation, so that a provider cannot keep the
 * verification open forever. Another action of the awaited type cannot extend the current deadline.
 */
const boundedAction = (
  { verification }: LeasedVerification,
  action: NextAction,
  { schedule }: ProgressContext
): NextAction => {
  const { createdAt, nextAction: earlier } = verification
  const latest = DateTime.addDuration(createdAt, longestAction(schedule))
  return endingBy(action, earlier?.type === action.type ? DateTime.min(earlier.expiresAt, latest) : latest)
}

/**
 * Returns `REGISTRY_CONSENT` if the holder was sent to a consent page, since the provider continues only after their
 * consent.
 */
const consented = ({ verification: { nextAction } }: LeasedVerification): Pick<Change, "method"> =>
  nextAction?.type === "REDIRECT" ? { method: "REGISTRY_CONSENT" } : {}

const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Partial<Checks>): Checks => ({
  first_name: first_name ?? "NOT_CHECKED",
  last_name: last_name ?? "NOT_CHECKED",
  date_of_birth: date_of_birth ?? "NOT_CHECKED",
  selfie: selfie ?? "NOT_CHECKED"
})

/**
 * Plans progress after the provider's outcome. `VERIFIED` means that the number is valid. Whether the number
 * belongs to the person is left to the policy, which judges the checks and the method.
 */
export const afterOutcome = (
  leased: LeasedVerification,
  outcome: KycOutcome,
  moment: ProgressContext
): VerificationProgress => {
  const known = outcome.providerReference === undefined ? {} : { providerReference: outcome.providerReference }
  switch (outcome._tag) {
    case "Verified":
      return ended(
        leased,
        { ...known, ...consented(leased), status: "VERIFIED", checks: checksOf(outcome.checks) },
        moment
      )
    case "Failed": {
      const checks = checksOf(outcome.checks)
      return ended(leased, { ...known, status: "FAILED", failureReason: outcome.reason, checks }, moment)
    }
    case "Pending":
      return waiting(leased, { ...known, ...consented(leased), status: "PENDING" }, moment, "provider_overdue")
    case "RequiresAction": {
      const nextAction = boundedAction(leased, outcome.nextAction, moment)
      if (nextAction.type === "CODE" && leased.codes >= mostCodes) return codeWrong(leased, moment)
      const change: Change = { ...known, status: "REQUIRES_ACTION", method: "MERCHANT_ATTESTED", nextAction }
      return isExpired(nextAction, moment.now)
        ? expired(leased, change, moment)
        : waiting(leased, change, moment, "provider_overdue")
    }
    case "Errored":
      return ended(leased, { ...known, status: "ERROR", failureReason: outcome.reason }, moment)
    case "Unrecognised":
      return ended(leased, { ...known, status: "ERROR", failureReason: "provider_answer_unknown" }, moment)
  }
}

/**
 * Plans progress while the outcome is unknown, for example because the provider does not respond. Plans another lookup,
 * or the end if no lookup is left.
 */
export const afterSilence = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  waiting(leased, unchanged(leased), moment, "provider_unavailable")

/** Records that the holder's code was passed on. Lookups start over, since a result is expected soon. */
const withCode = (leased: LeasedVerification): LeasedVerification => ({
  ...leased,
  looks: 0,
  verification: { ...leased.verification, method: "HOLDER_CODE" }
})

/**
 * Plans progress after the holder's code, which `leased.codes` already includes. If the provider asks for a code again,
 * the code was wrong. The verification then still awaits a code, or ends if this was the last one allowed.
 */
export const afterCode = (
  leased: LeasedVerification,
  outcome: KycOutcome,
  moment: ProgressContext
): VerificationProgress => {
  const isWrong = outcome._tag === "RequiresAction" && outcome.nextAction.type === "CODE"
  if (!isWrong) return afterOutcome(withCode(leased), outcome, moment)
  return leased.codes < mostCodes ? asItStands(leased, undefined, moment) : codeWrong(leased, moment)
}

/** Ends a verification as `FAILED`, since its action has expired. */
export const afterExpiry = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  expired(leased, unchanged(leased), moment)

/**
 * Plans progress after a code that may not have reached the provider. The holder can enter no further code unless the
 * provider asks for one again.
 */
export const afterLostCode = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  waiting(withCode(leased), { status: "PENDING" }, moment, "provider_unavailable")

/**
 * Ends a verification whose outcome at the provider is unknown and cannot be looked up. The submission is not sent
 * again.
 */
export const afterLoss = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  ended(leased, { status: "ERROR", failureReason: "outcome_unknown" }, moment)

/**
 * Plans progress if a lookup is due but cannot be made. If the provider never confirmed the submission, ends the
 * verification as `ERROR`. Otherwise waits for the holder's action until its deadline, or for the provider's callback
 * until no lookup is left.
 */
export const afterNoLookup = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress => {
  const { nextAction, providerReference } = leased.verification
  if (providerReference === undefined) return afterLoss(leased, moment)
  return nextAction !== undefined && isExpired(nextAction, moment.now)
    ? afterExpiry(leased, moment)
    : waiting(leased, unchanged(leased), moment, "provider_overdue")
}

/**
 * Plans progress after a lookup. If the provider never confirmed the verification and does not know it, the submission
 * did not arrive. The number is no longer in memory, so the verification ends. The merchant must submit the number
 * again under a new key.
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

/** Ends a verification whose submission no provider accepted. */
export const afterNoSubmission = (leased: LeasedVerification, moment: ProgressContext): VerificationProgress =>
  ended(leased, { status: "ERROR", failureReason: "provider_unavailable" }, moment)

/**
 * Keeps the verification unchanged, but stores `leased.codes`. Renews the lease until `leasedUntil`, or releases it if
 * `leasedUntil` is undefined.
 */
export const asItStands = (
  leased: LeasedVerification,
  leasedUntil: DateTime.Utc | undefined,
  moment: ProgressContext
): VerificationProgress =>
  progressOf(leased, unchanged(leased), { looks: leased.looks, dueAt: leased.dueAt, leasedUntil }, moment)
