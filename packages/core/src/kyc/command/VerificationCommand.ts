import { Redacted, Result } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { ApiKeyId, UserId } from "../../Ids.js"
import type { InputFault } from "../../input/InputFault.js"
import type { KycValidation } from "../provider/KycProvider.js"
import type { VerificationKind } from "../verification/Verification.js"
import * as BirthDate from "./BirthDate.js"
import * as IdNumber from "./IdNumber.js"
import { isImage } from "./SelfieImage.js"

/** A verification request as sent, with its shape and lengths already checked. */
export interface VerificationInput {
  readonly userId?: UserId
  readonly serviceId?: ConsumerId
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly verificationConsent: boolean
  readonly tier?: string
  readonly validation?: KycValidation
  /**
   * Id of the merchant's API key, for the receipt. Not part of the fingerprint. Absent if the host makes the request.
   */
  readonly apiKeyId?: ApiKeyId
}

/**
 * A valid request. At least one of `userId` and `serviceId` is present, and the sender attests the person's consent. A
 * well-formed number and a valid date of birth are in normal form.
 */
export interface VerificationCommand {
  readonly userId: UserId | undefined
  readonly serviceId: ConsumerId | undefined
  readonly number: IdNumber.IdNumber
  readonly tier: string | undefined
  /** Values for the provider to compare. An invalid date or selfie is omitted, so its check is `NOT_CHECKED`. */
  readonly validation: KycValidation
  /** The values for the fingerprint: as sent, except that a valid date is in normal form. */
  readonly sent: KycValidation
  readonly apiKeyId: ApiKeyId | undefined
}

/** A fault of a request that names no person or lacks the person's consent. */
export type VerificationRequestFault = InputFault<"subject_required" | "verification_consent_required">

/** Checks that a request names a person and has the person's consent. Returns a fault for each that is missing. */
export const subjectFaults = (request: {
  readonly namesPerson: boolean
  readonly verificationConsent: boolean
}): ReadonlyArray<VerificationRequestFault> => {
  const faults: Array<VerificationRequestFault> = []
  if (!request.namesPerson) {
    faults.push({
      path: ["userId"],
      code: "subject_required",
      detail: "Send the user_id or service_id of the person to verify."
    })
  }
  if (!request.verificationConsent) {
    faults.push({
      path: ["verificationConsent"],
      code: "verification_consent_required",
      detail: "Expected true: no one is verified without their consent."
    })
  }
  return faults
}

/**
 * Parses a request, or returns all of its faults. Pure. A number that is invalid for its kind is not a fault: the
 * verification ends as `FAILED` (contract 8).
 */
export const parseVerification = (
  request: VerificationInput
): Result.Result<VerificationCommand, ReadonlyArray<VerificationRequestFault>> => {
  const faults = subjectFaults({
    namesPerson: request.userId !== undefined || request.serviceId !== undefined,
    verificationConsent: request.verificationConsent
  })
  if (faults.length > 0) return Result.fail(faults)
  return Result.succeed({
    userId: request.userId,
    serviceId: request.serviceId,
    number: IdNumber.read(request.kind, request.id),
    tier: request.tier,
    ...validationOf(request.validation ?? {}),
    apiKeyId: request.apiKeyId
  })
}

const validationOf = (sent: KycValidation): Pick<VerificationCommand, "validation" | "sent"> => {
  const { dateOfBirth, selfie, ...names } = sent
  const date = dateOfBirth && BirthDate.parse(Redacted.value(dateOfBirth))
  const understood = date === undefined ? undefined : Redacted.make(date, { label: "date_of_birth" })
  const isSelfie = selfie !== undefined && isImage(Redacted.value(selfie))
  return {
    validation: {
      ...names,
      ...(understood === undefined ? {} : { dateOfBirth: understood }),
      ...(isSelfie ? { selfie } : {})
    },
    sent: understood === undefined ? sent : { ...sent, dateOfBirth: understood }
  }
}

const textOf = (value: Redacted.Redacted<string> | undefined): string | null =>
  value === undefined ? null : Redacted.value(value)

/**
 * Serialises the command for its fingerprint. Equal requests give equal strings. `selfieDigest` replaces the selfie,
 * which is too long to copy. The string contains the number, names and date of birth, so it must never be stored.
 */
export const canonicalVerification = (command: VerificationCommand, selfieDigest: string | undefined): string =>
  JSON.stringify([
    "kyc.verify",
    command.userId ?? null,
    command.serviceId ?? null,
    command.number.kind,
    textOf(command.number.text),
    command.tier ?? null,
    textOf(command.sent.firstName),
    textOf(command.sent.lastName),
    textOf(command.sent.dateOfBirth),
    selfieDigest ?? null
  ])
