import type { DateTime } from "effect"
import type { UserId } from "../../Ids.js"
import { IdentityHash } from "../command/IdNumber.js"
import { isVerificationOpen, KycFailureReason, type Verification } from "./Verification.js"

/** Failure reason for a verification whose person was erased before its result arrived. */
export const personErased = KycFailureReason.make("person_erased")

/**
 * Returns the verification of an erased person (contract 17). The pseudonym replaces the user id, and nothing that
 * identifies the number remains. An open verification ends as `ERROR`, since a later result no longer counts.
 */
export const erasedVerification = (
  { nextAction: _, providerReference: __, ...verification }: Verification,
  pseudonym: UserId,
  erasedAt: DateTime.Utc
): Verification => ({
  ...verification,
  userId: pseudonym,
  idHash: IdentityHash.make(`erased.${verification.id}`),
  idLast4: "",
  ...(isVerificationOpen(verification.status)
    ? { status: "ERROR", failureReason: personErased, completedAt: erasedAt }
    : {})
})
