import type { VerificationRefusal } from "@surety/core/kyc/KycError"
import { type Problem, problem } from "./Problem.js"

/** The problem of a rule that refused a verification (contract 8). */
export const problemOfVerificationRefusal = (reason: VerificationRefusal): Problem => {
  switch (reason._tag) {
    case "SubjectMismatch":
      return problem("subject_mismatch")
    case "LinkedUserNotFound":
      return problem("linked_user_not_found")
    case "KycProviderNotConfigured":
      return problem("kyc_provider_not_configured")
  }
}
