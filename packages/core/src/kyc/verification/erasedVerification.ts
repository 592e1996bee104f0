import type { DateTime } from "effect"
import type { UserId } from "../../Ids.js"
import { IdentityHash } from "../command/IdNumber.js"
import { isVerificationOpen, KycFailureReason, type Verification } from "./Verification.js"

/** Failure reason of a verification whose person is erased before its result. */
export const personErased = KycFailureReason.make("person_erased")

/**
 * Returns the verification of an erased person (contract 17), with the pseudonym as its user id and without anything
 * that leads to the number. An open one ends as `ERROR`, since no later result counts.
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
