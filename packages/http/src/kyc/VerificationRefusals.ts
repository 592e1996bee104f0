import type { CodeChannelUnknown, VerificationNeedsNoAction, VerificationRefusal } from "@surety/core/kyc/KycError"
import { inBody } from "../problem/Fault.js"
import { problem, problemOfFaults } from "../problem/Problem.js"
import { byReason, type RefusedAs, retryLater } from "../problem/Refusal.js"

const needsNoAction: RefusedAs<VerificationNeedsNoAction> = {
  codes: ["verification_needs_no_action"],
  problem: ({ status }) =>
    problem("verification_needs_no_action", {
      detail:
        status === "REQUIRES_ACTION"
          ? "The verification waits for its holder at the url of nextAction, not for a code."
          : `The verification is ${status}.`
    })
}

const channelUnknown: RefusedAs<CodeChannelUnknown> = {
  codes: ["code_channel_unknown"],
  problem: ({ message }) => problemOfFaults([inBody(["channel"], "code_channel_unknown", message)])
}

/** Refusals for the errors of each verification route (contract 8). */
export const verificationRefusals = {
  submit: {
    VerificationRefused: byReason<VerificationRefusal>({
      SubjectMismatch: "subject_mismatch",
      LinkedUserNotFound: "linked_user_not_found",
      KycProviderNotConfigured: "kyc_provider_not_configured"
    }),
    IdempotencyKeyReused: "idempotency_key_reused",
    IdempotencyInProgress: retryLater("idempotency_in_progress")
  },
  get: { VerificationNotFound: "verification_not_found" },
  list: {},
  submitCode: {
    VerificationNotFound: "verification_not_found",
    VerificationNeedsNoAction: needsNoAction,
    CodeChannelUnknown: channelUnknown,
    VerificationBusy: retryLater("verification_busy"),
    KycProviderUnavailable: retryLater("kyc_provider_unavailable")
  }
} as const
